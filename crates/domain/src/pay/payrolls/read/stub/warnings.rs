//! Translates the warnings of a paycheck from English.
//!
//! A paycheck stores which text a warning has (`payrolls::warnings::texts`). Paychecks calculated by older versions have only the English
//! message, so their warnings are matched by wording: the text in place of `{name}` is carried over. A reason given by the tables is left
//! out, and a message that matches no line stays in English.

use crate::language::{Language, fill};
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::warnings::texts;

/// English messages of older paychecks, with their Spanish translations. The first match applies. No lines are added.
const OLDER: &[(&str, &str)] = &[
    (
        "no state income tax was withheld: {reason}",
        "no se retuvo ningún impuesto estatal sobre la renta; indique el importe si corresponde alguno",
    ),
    (
        "no income tax of {state} was withheld: {reason}",
        "no se retuvo ningún impuesto sobre la renta de {state}; indique el importe si corresponde alguno",
    ),
    ("{name} was not worked out: {why}", "{name}: este impuesto no se calculó"),
    (
        "the amount supplied for {code} was not taken: {why}",
        "no se retuvo el importe indicado para {code}: el impuesto se calcula o no corresponde; retire el importe",
    ),
    (
        "Social Security and Medicare tax were withheld although {section} is set: the employee is past {rest}",
        "se retuvieron los impuestos del Seguro Social y de Medicare aunque está indicada la exención de {section}: el empleado ya pasó \
         la edad en la que termina; retire la exención",
    ),
    (
        "Social Security and Medicare tax were withheld although {section} is set: the date of birth, {rest}",
        "se retuvieron los impuestos del Seguro Social y de Medicare aunque está indicada la exención de {section}: falta la fecha de \
         nacimiento, que lo decide; indíquela",
    ),
    (
        "the federal table of {year} has no amounts to add {rest}",
        "la tabla federal de {year} no tiene importes que sumar a los salarios de extranjeros no residentes, y no se sumó ninguno",
    ),
    (
        "the pay does not reach for all taxes of the employee: {amount} was not withheld",
        "el pago no alcanza para todos los impuestos del empleado: no se retuvieron {amount}",
    ),
    (
        "the pay does not reach for all deductions: {amount} was not taken",
        "el pago no alcanza para todas las deducciones: no se tomaron {amount}",
    ),
    (
        "orders for support tell {ordered} of premiums for health insurance {notice}, and {deducted} was deducted for it: {rest}",
        "las órdenes de manutención indican primas de seguro médico de {ordered}, y se descontaron {deducted} por él",
    ),
    (
        "what a life insurance imputes was not worked out, {rest}",
        "no se calculó el ingreso imputado de un seguro de vida, porque faltan datos",
    ),
    (
        "a benefit took or gave less than was asked for, by the smallest of its legal limits: {rest}",
        "un beneficio tomó o dio menos de lo pedido, por el menor de sus límites legales: indique en el registro del empleado cuál rige",
    ),
    (
        "a benefit took less than was asked for: catch-up contributions {rest}",
        "un beneficio tomó menos de lo pedido: las aportaciones de recuperación del empleado tienen que ser aportaciones Roth \
         (26 USC 414(v)(7)), que requieren un beneficio Roth",
    ),
    (
        "what {section} leaves of a pay is not confirmed {rest}",
        "lo que {section} deja de un pago no está confirmado y no se aplicó",
    ),
    (
        "the fee that an employer may take for a garnishment in {state} is not confirmed, {rest}",
        "el cargo que un empleador puede tomar por un embargo en {state} no está confirmado, y no se tomó ninguno",
    ),
    (
        "no fee that an employer may take for this kind of garnishment is held of {state}, {rest}",
        "no se conoce el cargo que un empleador puede tomar por un embargo de este tipo, y no se tomó ninguno",
    ),
    (
        "the amounts of {year} that are exempt from a federal tax levy are not held, {rest}",
        "no se conocen los importes de {year} exentos de un embargo fiscal federal, y se usó el importe que se indicó",
    ),
    (
        "{entered} hours of overtime were entered for the workweek of {week}, and the law asks for {due} ({section}): {rest}",
        "se indicaron {entered} horas extra para la semana laboral del {week}, y la ley pide {due} ({section}): indique las que faltan",
    ),
    (
        "a bonus or commission was earned in {count} workweeks, and the hours of {known} of them {rest}",
        "un bono o una comisión se ganó en {count} semanas laborales, y solo de {known} de ellas se conocen las horas; la prima por horas \
         extra de las demás no se volvió a calcular (29 CFR 778.209): pague lo que falte como corrección",
    ),
    (
        "more {kind} are paid than there were: the balance is {hours} afterwards",
        "se pagan más horas de tiempo libre de las que había: el saldo queda en {hours}",
    ),
    (
        "{hours} {kind} are left and were not entered to be paid out, {rest}",
        "quedan horas de tiempo libre por pagar, y no se indicó su pago, que piden la política o el estado de trabajo",
    ),
    (
        "{hours} {kind} of approved requests from {from} to {until} were not paid {rest}",
        "las nóminas de los días del {from} al {until} no pagaron {hours} horas libres que se aprobaron, y ninguna otra las paga",
    ),
    (
        "the payroll of {start} to {end} was skipped with reimbursements of {amount} that {rest}",
        "la nómina del {start} al {end} se omitió con reembolsos de {amount}: indique los que todavía se deben",
    ),
    (
        "fluctuating_workweek counts for nothing in {state}: {section} asks for {rest}",
        "la semana laboral fluctuante no cuenta en {state}: {section} pide una vez y media la tarifa",
    ),
    (
        "no tips were entered for hours at {rate} an hour, which is below the minimum wage of {wage}: {rest}",
        "no se indicaron propinas para horas a {rate} por hora, menos que el salario mínimo de {wage}: el empleador paga toda la \
         diferencia y no se retiene nada sobre propinas; indique las que recibió el empleado",
    ),
    (
        "regular hours were entered for a salaried job, and pay nothing, {rest}",
        "se indicaron horas normales de un empleo con salario, y no pagan nada, porque esta nómina no paga salarios; indique como importe \
         lo que se deba por ellas",
    ),
    (
        "hours were entered without workweeks, so that {rest}",
        "se indicaron horas sin semanas laborales, de modo que el pago se comparó con el salario mínimo de todo el período; la ley lo pide \
         por semana laboral (29 CFR 531.35)",
    ),
    (
        "the minimum wages that were chosen do not hold at the place of work; {rest}",
        "los salarios mínimos elegidos no rigen en el lugar de trabajo; el pago no se ajustó a ellos",
    ),
    (
        "the minimum wages that were chosen do not hold at the place of work on {day}; {rest}",
        "los salarios mínimos elegidos no rigen en el lugar de trabajo el {day}; el pago no se ajustó a ellos donde no rigen",
    ),
    (
        "in {state} tips cover no part of the minimum wage, {rest}: {least} an hour is the minimum wage, {end}",
        "en {state} las propinas no cubren ninguna parte del salario mínimo, que es de {least} por hora y que la tarifa tiene que \
         alcanzar; no se contó ninguna propina",
    ),
    (
        "the rate of {state} for supplemental wages is from general knowledge; {rest}",
        "la tasa de {state} para salarios suplementarios no está confirmada; se usó la fórmula de los salarios regulares",
    ),
    (
        "whether {item} counts as wages of {state} is from general knowledge; {rest}",
        "no está confirmado si {item} cuenta como salario de {state}; cuenta como en los salarios federales",
    ),
    (
        "the tables of state programs and local taxes of {year} are not held; those of {held} were used",
        "no se tienen las tablas de programas estatales e impuestos locales de {year}; se usaron las de {held}",
    ),
    (
        "days from {from} to {until} were paid at {paid}, and the compensation{job} now says {owed}: {rest}",
        "los días del {from} al {until} se pagaron a {paid}, y la compensación ahora indica {owed}",
    ),
    (
        "the minimum wage ({whose}) was renewed every year, and that of {day} is not held; that of {since} was used: {rest}",
        "no se tiene el salario mínimo ({whose}) del {day}; se usó el del {since}",
    ),
    (
        "{table}; one of an earlier year was used",
        "falta una tabla de impuestos de este año; se usó la de un año anterior",
    ),
    (
        "hours at {place} were entered without their days this year, {rest}",
        "las horas en {place} se indicaron sin sus días este año, de modo que no se sabe cuántos días se trabajó allí y su impuesto se \
         retiene de todos modos: indique las fechas",
    ),
    (
        "what {section} counts as overtime is not confirmed and was not applied; {rest}",
        "lo que {section} cuenta como horas extra no está confirmado y no se aplicó; se aplicó la regla federal",
    ),
    (
        "{section} counts the overtime of each day, and hours were entered without their days; {rest}",
        "{section} cuenta las horas extra de cada día, y se indicaron horas sin sus días; se pagaron como se indicaron",
    ),
    (
        "the child support agency of {state} is to be told of {amount} before it is paid, and has {days} days to answer ({section})",
        "hay que informar a la agencia de manutención de menores de {state} de {amount} antes de que se paguen, y tiene {days} días para \
         responder ({section})",
    ),
];

/// Returns the text of a warning in a language, and the language it is in.
pub fn told(warning: &Warning, language: Language) -> (String, Language) {
    let translated = match language {
        Language::English => None,
        Language::Spanish if warning.text.is_empty() => of_older(&warning.message),
        Language::Spanish => texts::spanish(warning),
    };
    match translated {
        Some(text) => (text, language),
        None => (warning.message.clone(), Language::English),
    }
}

/// Translates a message of an older paycheck into Spanish.
fn of_older(message: &str) -> Option<String> {
    OLDER.iter().find_map(|(english, spanish)| Some(fill(spanish, &values(english, message)?)))
}

/// Returns the values of a text for the placeholders of a pattern, by name; `None` if it does not match.
fn values<'p, 't>(pattern: &'p str, text: &'t str) -> Option<Vec<(&'p str, &'t str)>> {
    let mut parts = pattern.split('{');
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut held = Vec::new();
    for part in parts {
        let (name, after) = part.split_once('}')?;
        // The last placeholder extends to the end of the text.
        let ends = if after.is_empty() { rest.len() } else { rest.find(after)? };
        held.push((name, &rest[..ends]));
        rest = &rest[ends + after.len()..];
    }
    rest.is_empty().then_some(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a warning of an older paycheck in Spanish.
    fn spanish(message: &str) -> String {
        let warning = Warning {
            key: String::new(),
            message: message.to_owned(),
            text: String::new(),
            values: std::collections::BTreeMap::new(),
        };
        assert_eq!(told(&warning, Language::English), (message.to_owned(), Language::English));
        let (text, language) = told(&warning, Language::Spanish);
        assert_eq!(language == Language::English, text == message);
        text
    }

    #[test]
    fn a_warning_keeps_its_figures_in_spanish() {
        assert_eq!(
            spanish("the pay does not reach for all deductions: 41.07 was not taken"),
            "el pago no alcanza para todas las deducciones: no se tomaron 41.07"
        );
        let told = spanish(
            "1.00 hours of overtime were entered for the workweek of 2026-06-01, and the law asks for 8.00 (29 USC 207(a)(1)): enter the \
             missing ones, or all hours of each day as regular hours",
        );
        assert!(
            told.starts_with("se indicaron 1.00 horas extra para la semana laboral del 2026-06-01"),
            "{told}"
        );
        assert!(told.contains("8.00 (29 USC 207(a)(1))"), "{told}");
    }

    #[test]
    fn a_reason_of_the_tables_is_left_out_and_what_fits_nothing_stays() {
        let withheld =
            "no income tax of SC was withheld: the tables are in doubt; supply the amount if one is due";
        assert_eq!(
            spanish(withheld),
            "no se retuvo ningún impuesto sobre la renta de SC; indique el importe si corresponde alguno"
        );
        assert_eq!(spanish("what an earlier program said"), "what an earlier program said");
        assert_eq!(
            values("{a} of {b}", "one of two of three"),
            Some(vec![("a", "one"), ("b", "two of three")])
        );
        assert_eq!(values("all {a} done", "all is done now"), None);
    }

    #[test]
    fn every_spanish_text_has_no_place_that_the_english_one_lacks() {
        for (english, spanish) in OLDER {
            let sample = english.replace('{', "<").replace('}', ">");
            let held = values(english, &sample).unwrap();
            let told = fill(spanish, &held);
            assert!(!told.contains('{'), "{told}");
        }
    }
}
