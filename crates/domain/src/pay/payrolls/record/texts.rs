//! The texts of paycheck warnings, in each language of the pages.
//!
//! A paycheck stores the key of a warning, the name of its text and the values in it; sentences are looked up by that name in every
//! language, so that they can be improved for warnings that are stored. These keep the values they were created with, so a text with
//! different values gets a new name, and a text that is no longer given stays.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::language::{Language, fill_placeholders};
use crate::pay::payrolls::record::texts_of_rules::OF_RULES;
use crate::pay::payrolls::record::warning::Warning;

/// A warning of this crate. `{name}` is the placeholder of a value.
pub(in crate::pay::payrolls) struct Text {
    /// key of the warning, for programs; several texts may share one
    key: &'static str,
    /// name of the text
    name: &'static str,
    english: &'static str,
    spanish: &'static str,
}

impl Text {
    /// Returns the warning with these values.
    pub(in crate::pay::payrolls) fn to_warning(&self, values: &[(&str, &dyn Display)]) -> Warning {
        let values = owned_values(values.iter().map(|(name, value)| (*name, value.to_string())).collect());
        Warning {
            key: self.key.to_owned(),
            message: with_values(self.english, &values),
            text: self.name.to_owned(),
            values,
        }
    }

    /// Whether a warning has this text.
    pub(in crate::pay::payrolls) fn is_of(&self, warning: &Warning) -> bool {
        warning.text == self.name
    }
}

pub(in crate::pay::payrolls::record) fn owned_values(
    values: Vec<(&str, String)>,
) -> BTreeMap<String, String> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Declares the texts and a list of all of them.
macro_rules! texts {
    ($($constant:ident = $key:literal, $name:literal: $english:expr, $spanish:expr;)+) => {
        $(pub(in crate::pay::payrolls) const $constant: Text = Text { key: $key, name: $name, english: $english, spanish: $spanish };)+
        const ALL: &[Text] = &[$($constant),+];
    };
}

texts! {
    TIME_OFF_NOT_PAID = "time_off_not_paid", "time_off_not_paid":
        "{hours} {kind} of approved requests from {from} to {until} were not paid by the payrolls for these days, and no other payroll \
         will pay them: enter them here and decline the request",
        "las nóminas de los días del {from} al {until} no pagaron {hours} horas libres que se aprobaron, y ninguna otra las paga: \
         indíquelas aquí y rechace la solicitud";
    REIMBURSEMENTS_NOT_PAID = "reimbursements_not_paid", "reimbursements_not_paid":
        "the payroll for {start} to {end} was skipped with reimbursements of {amount} entered: enter here what is still owed",
        "la nómina del {start} al {end} se omitió con reembolsos de {amount}: indique aquí los que todavía se deben";
    BALANCE_EXCEEDED = "time_off_balance_exceeded", "time_off_balance_exceeded":
        "more {kind} are paid than are available: the balance is {hours} afterwards",
        "se pagan más horas de tiempo libre de las que había: el saldo queda en {hours}";
    NOT_PAID_OUT = "unused_time_off_not_paid_out", "unused_time_off_not_paid_out":
        "{hours} {kind} remain and were not entered to be paid out, which the policy or the work state requires",
        "quedan {hours} horas de tiempo libre, y no se indicó su pago, que piden la política o el estado de trabajo";
    PAYOUT_NOT_CONFIRMED = "unused_time_off_not_paid_out", "payout_not_confirmed":
        "{hours} Vacation Hours remain, which {source} requires to be paid out; the rule is not confirmed ({confirm}), so only what is \
         entered is paid",
        "quedan {hours} horas de vacaciones, cuyo pago pide {source}; la regla no está confirmada ({confirm}) y solo se paga lo que se \
         indique";
    NO_TIPS = "no_tips_entered", "no_tips_entered":
        "no tips were entered for hours at {rate} an hour, which is below the minimum wage of {wage}: the employer pays the whole \
         difference, and nothing is withheld for tips; enter the tips that the employee received",
        "no se indicaron propinas para horas a {rate} por hora, menos que el salario mínimo de {wage}: el empleador paga toda la \
         diferencia y no se retiene nada sobre propinas; indique las que recibió el empleado";
    HOURS_OF_SALARY = "hours_of_salary_not_paid", "hours_of_salary_not_paid":
        "regular hours entered for a salaried job are not paid, because this payroll pays no salaries; enter what is owed for them as \
         an amount, such as a correction",
        "se indicaron horas normales de un empleo con salario, y no pagan nada, porque esta nómina no paga salarios; indique como importe \
         lo que se deba por ellas";
    HOURS_BELOW_SALARY = "hours_below_salary", "hours_below_salary":
        "{entered} hours were entered for a salaried job and its salary stands for {standard}: it was paid in full; for days without pay, \
         enter Unpaid Leave Hours",
        "se indicaron {entered} horas de un empleo con salario, que equivale a {standard}: se pagó entero; para los días sin sueldo, indique \
         horas de ausencia sin sueldo";
    UNPAID_PART_OF_DAY = "unpaid_leave_not_deducted", "unpaid_leave_of_part_of_day":
        "{hours} hours of leave without pay were not deducted: the salary of an exempt employee is lowered by full days only (29 CFR \
         541.602)",
        "no se descontaron {hours} horas de ausencia sin sueldo: el salario de un empleado exento solo baja por días completos (29 CFR \
         541.602)";
    UNPAID_BEYOND_SALARY = "unpaid_leave_not_deducted", "unpaid_leave_beyond_salary":
        "{hours} hours of leave without pay are more than the salary of this payroll: if days that were paid before were not owed, what was \
         overpaid may be taken back only as the law of the state of work and an agreement with the employee allow; nothing was taken",
        "{hours} horas de ausencia sin sueldo superan el salario de esta nómina: si antes se pagaron días que no se debían, lo pagado de más \
         solo se puede recuperar como permitan la ley del estado de trabajo y un acuerdo con el empleado; no se tomó nada";
    OVERTIME_RULE = "overtime_rule_not_applied", "overtime_rule_not_applied":
        "what {section} counts as overtime is not confirmed and was not applied; the federal rule was used: check it against the law, \
         and have the operator confirm {confirm}",
        "lo que {section} cuenta como horas extra no está confirmado y no se aplicó; se aplicó la regla federal";
    OVERTIME_OF_DAYS = "daily_overtime_as_entered", "daily_overtime_as_entered":
        "{section} counts the overtime of each day, and hours were entered without dates; they were paid as entered: the \
         employer enters them by day, with the hours of the payroll",
        "{section} cuenta las horas extra de cada día, y se indicaron horas sin sus fechas; se pagaron como se indicaron: el \
         empleador las indica por día, con las horas de la nómina";
    OVERTIME_OF_SEVENTH_DAY = "daily_overtime_as_entered", "seventh_day_as_entered":
        "{section} counts the seventh day of a long workweek, and hours were entered without dates; they were paid as entered: the \
         employer enters them by day, with the hours of the payroll",
        "{section} cuenta el séptimo día de una semana laboral, y se indicaron horas sin sus fechas; se pagaron como se indicaron: \
         el empleador las indica por día, con las horas de la nómina";
    DAYS_NOT_PAID = "days_not_paid", "days_not_paid":
        "the payroll for {start} to {end} was submitted before the employee was onboarded, and no payroll covers the days from {first} \
         to {end}: pay them with an off-cycle payroll",
        "la nómina del {start} al {end} se presentó antes de la incorporación del empleado, y ninguna nómina paga los días del {first} al \
         {end}: páguelos con una nómina fuera de calendario";
    SALARY_BEFORE_ONBOARDING = "days_not_paid", "salary_before_onboarding_not_paid":
        "the payroll for {start} to {end} was submitted before the employee was onboarded, and no payroll covers the days from {first} \
         to {end}: {amount} of their salary is still owed; pay it with an off-cycle payroll for these days, as a Correction Payment",
        "la nómina del {start} al {end} se presentó antes de la incorporación del empleado, y ninguna nómina paga los días del {first} al \
         {end}: todavía se deben {amount} de su salario; páguelos con una nómina fuera de calendario, como corrección";
    FUTA_WAGES_DERIVED = "futa_wages_derived", "futa_wages_derived":
        "the opening balances of {year} report gross wages of {gross} and none for federal unemployment tax; {counted} of them were counted: \
         if benefits lowered these wages, the employer corrects the opening balances, in the field of federal unemployment wages, before this payroll is submitted",
        "los saldos iniciales de {year} indican salarios brutos de {gross} y ninguno para el impuesto federal de desempleo; se contaron \
         {counted}: si hubo beneficios que los redujeron, indique futa en los saldos iniciales antes de presentar esta nómina";
    LAST_WAGES_LATE = "last_wages_late", "last_wages_late":
        "wages earned by the last day of work, {last_day}, are due by {due} in {state} ({source}) and are paid on {paid}: pay them by then, \
         with a payroll of checks for the last wages or by hand",
        "los salarios ganados hasta el último día de trabajo, {last_day}, se deben pagar a más tardar el {due} en {state} ({source}) y se \
         pagan el {paid}: páguelos a tiempo, con una nómina de los últimos salarios o a mano";
    LAST_WAGES_LATE_UNCONFIRMED = "last_wages_late", "last_wages_late_unconfirmed":
        "wages earned by the last day of work, {last_day}, are due by {due} in {state} ({source}; not checked against the statute) and are \
         paid on {paid}: check the day, and pay them by then, with a payroll of checks for the last wages or by hand",
        "los salarios ganados hasta el último día de trabajo, {last_day}, se deben pagar a más tardar el {due} en {state} ({source}; no se \
         comparó con la ley) y se pagan el {paid}: compruebe el día y páguelos a tiempo, con una nómina de los últimos salarios o a mano";
    LAST_WAGES_LATE_WITHOUT_REASON = "last_wages_late", "last_wages_late_without_reason":
        "wages earned by the last day of work, {last_day}, may be due as early as {due} in {state} ({source}) and are paid on {paid}: the \
         employer enters why the employment ended, on which the day depends, and pays them by then",
        "los salarios ganados hasta el último día de trabajo, {last_day}, pueden vencer ya el {due} en {state} ({source}) y se pagan el \
         {paid}: indique el motivo de la terminación, del que depende el día, y páguelos a tiempo";
    EMPLOYEE_DIED = "employee_died", "employee_died":
        "the employee died on {died}: of wages that are paid afterwards no income tax is withheld (Rev. Rul. 86-109), and those paid after \
         {year} bear no Social Security, Medicare or unemployment tax either (26 USC 3121(a)(14), 3306(b)(15)); support orders end: pay the \
         wages to whom the law of the state names, and report them on Form 1099-MISC for that person",
        "el empleado falleció el {died}: de los salarios que se pagan después no se retiene impuesto sobre la renta (Rev. Rul. 86-109), y los \
         que se pagan después de {year} tampoco llevan impuestos del Seguro Social, de Medicare ni de desempleo (26 USC 3121(a)(14), \
         3306(b)(15)); las órdenes de manutención terminan: pague los salarios a quien indique la ley del estado y declárelos en el \
         formulario 1099-MISC de esa persona";
    PAID_AFTER_DEATH = "paid_after_death", "paid_after_death":
        "the employee died on {died}: no federal, state or local income tax was withheld (Rev. Rul. 86-109), while Social Security, Medicare \
         and unemployment tax are due; check that the state follows, and pay whom its law names",
        "el empleado falleció el {died}: no se retuvo impuesto federal, estatal ni local sobre la renta (Rev. Rul. 86-109), y corresponden los \
         impuestos del Seguro Social, de Medicare y de desempleo; compruebe que el estado hace lo mismo y pague a quien indique su ley";
    PAID_AFTER_DEATH_LATER = "paid_after_death", "paid_after_death_later_year":
        "the employee died on {died}, in an earlier calendar year: no tax was withheld, and the employer owes none (26 USC 3121(a)(14), \
         3306(b)(15)); check that the state follows, and pay whom its law names",
        "el empleado falleció el {died}, en un año anterior: no se retuvo ningún impuesto, y el empleador no debe ninguno (26 USC 3121(a)(14), \
         3306(b)(15)); compruebe que el estado hace lo mismo y pague a quien indique su ley";
    SUPPORT_AFTER_DEATH = "support_ended_with_death", "support_ended_with_death":
        "{name}: nothing was taken, because the order ended with the death of the employee on {died}; notify the agency",
        "{name}: no se tomó nada, porque la orden terminó con el fallecimiento del empleado el {died}; avise a la agencia";
    ORDER_AFTER_DEATH = "order_taken_after_death", "order_taken_after_death":
        "{name} was taken although the employee died on {died}: ask the issuer whether these wages are bound, and set the last day of the order if they are not",
        "{name} se tomó aunque el empleado falleció el {died}: pregunte a quien emitió la orden si alcanza estos salarios, e indique su fin si \
         no";
    SALARY_OF_DAYS_NOT_PAID = "days_not_paid", "salary_of_days_not_paid":
        "the payroll for {start} to {end} was calculated before the employment was recorded as it is now, and no payroll covers the days \
         from {from} to {until}: pay the salary of {amount} for them with an off-cycle payroll, as a Correction Payment",
        "la nómina del {start} al {end} se calculó antes de registrarse el empleo como consta ahora, y ninguna nómina paga los días del \
         {from} al {until}: pague su salario de {amount} con una nómina fuera de calendario, como corrección";
    HOURS_OF_DAYS_NOT_PAID = "days_not_paid", "hours_of_days_not_paid":
        "the payroll for {start} to {end} was calculated before the employment was recorded as it is now, and no payroll covers the days \
         from {from} to {until}: pay the hours worked on them with an off-cycle payroll",
        "la nómina del {start} al {end} se calculó antes de registrarse el empleo como consta ahora, y ninguna nómina paga los días del \
         {from} al {until}: pague las horas trabajadas en ellos con una nómina fuera de calendario";
    SALARY_PAID_OUTSIDE = "days_paid_outside_employment", "salary_paid_outside_employment":
        "the payroll for {start} to {end} paid a salary of {amount} for days from {from} to {until} that are not days of employment as it is \
         recorded now: it stays unless the employee agrees how it is paid back, for example with a Correction Payment of -{amount} on a \
         later payroll of the year",
        "la nómina del {start} al {end} pagó un salario de {amount} por días del {from} al {until} que no son días de empleo según consta \
         ahora: lo pagado se mantiene, salvo que se acuerde con el empleado cómo se devuelve";
    DAYS_PAID_OUTSIDE = "days_paid_outside_employment", "days_paid_outside_employment":
        "the payroll for {start} to {end} paid {amount}, and none of its days is a day of employment as it is recorded now: it stays \
         unless the employee agrees how it is paid back, by making the paycheck void, or with a Correction Payment of -{amount} on a later \
         payroll of the year",
        "la nómina del {start} al {end} pagó {amount}, y ninguno de sus días es un día de empleo según consta ahora: lo pagado se mantiene, \
         salvo que se acuerde con el empleado cómo se devuelve";
    ENTERED_NOT_PAID = "entered_not_paid", "entered_not_paid":
        "{hours} hours and {amount} were entered in this payroll, which does not pay the employee any more since the employment was \
         changed: enter what is owed in a payroll that pays the employee",
        "se indicaron {hours} horas y {amount} en esta nómina, que ya no paga al empleado desde que se cambió el empleo: indique lo que se \
         deba en una nómina que lo pague";
    HOURS_OUTSIDE = "hours_outside_employment", "hours_outside_employment":
        "{hours} hours were entered for days from {from} to {until} on which this payroll pays no employment: remove them, correct the \
         employment, or enter them in a payroll for the days on which they were worked",
        "se indicaron {hours} horas para días del {from} al {until} sin empleo que esta nómina pague: retírelas, corrija el empleo o \
         indíquelas en una nómina de los días en que se trabajaron";
    HOURS_BESIDE = "overtime_beside_other_payroll", "overtime_beside_other_payroll":
        "{hours} regular hours were entered without their days, and another payroll of the pay period paid {earlier}: both together are more \
         than 40 a workweek, so some of these are overtime; enter them by day, or as Overtime",
        "se indicaron {hours} horas normales sin sus días, y otra nómina del período pagó {earlier}: juntas son más de 40 por semana laboral, y \
         algunas son horas extra; indíquelas por día o como horas extra";
    HOURS_BEYOND_DAYS = "hours_outside_employment", "hours_beyond_days_of_employment":
        "hours total {hours}, more than 24 a day on the days of employment that this payroll pays ({days}): remove those of other days, or \
         enter them in a payroll for the days on which they were worked",
        "las horas suman {hours}, más de 24 por día de empleo que esta nómina paga ({days}): retire las de otros días o indíquelas en una \
         nómina de los días en que se trabajaron";
    BACK_PAY_OWED = "pay_changed_for_paid_days", "back_pay_owed":
        "days from {from} to {until} were paid at {paid}, and the compensation{job} is now {owed}: {amount} of back pay is still owed for \
         them; pay it as a Correction Payment",
        "los días del {from} al {until} se pagaron a {paid}, y la compensación ahora indica {owed}: todavía se deben {amount}; páguelos como \
         corrección";
    PAY_RAISED = "pay_changed_for_paid_days", "pay_raised_for_paid_days":
        "days from {from} to {until} were paid at {paid}, and the compensation{job} is now {owed}: pay the difference as a Correction \
         Payment",
        "los días del {from} al {until} se pagaron a {paid}, y la compensación ahora indica {owed}: pague la diferencia como corrección";
    OVERPAID = "pay_changed_for_paid_days", "overpaid_at_earlier_terms":
        "days from {from} to {until} were paid at {paid}, and the compensation{job} is now {owed}: {amount} more was paid than is owed; it \
         stays unless the employee agrees how it is paid back, for example with a Correction Payment of -{amount} on this payroll",
        "los días del {from} al {until} se pagaron a {paid}, y la compensación ahora indica {owed}: se pagaron {amount} de más; se mantienen, \
         salvo que se acuerde con el empleado cómo se devuelven, por ejemplo con una corrección de -{amount}";
    TAKEN_BACK = "pay_taken_back", "pay_taken_back":
        "{amount} of earlier pay is taken back from this paycheck: the law of {state} may limit how much, require the employee's written \
         agreement, or a notice before; keep the agreement",
        "de este pago se descuentan {amount} pagados antes: la ley de {state} puede limitar cuánto, exigir el acuerdo escrito del empleado o un \
         aviso previo; guarde el acuerdo";
    PAY_LOWERED = "pay_changed_for_paid_days", "pay_lowered_for_paid_days":
        "days from {from} to {until} were paid at {paid}, and the compensation{job} is now {owed}: the pay already given stays, unless \
         the employee agrees how the difference is paid back",
        "los días del {from} al {until} se pagaron a {paid}, y la compensación ahora indica {owed}: lo pagado se mantiene, salvo que se \
         acuerde con el empleado cómo se devuelve";
    EXEMPTION_OF_LEGAL_FORM = "fica_exemption_not_applied", "fica_exemption_of_legal_form":
        "Social Security and Medicare tax were withheld although {section} is set: the company is a {form}, and the exemption is only for \
         a child employed by a sole proprietor or a partnership of both parents; remove the exemption",
        "se retuvieron los impuestos del Seguro Social y de Medicare aunque está indicada la exención de {section}: solo vale para hijos \
         empleados por un propietario único o una sociedad de ambos padres; retire la exención";
    PAYMENT_INFORMATION = "payment_information_missing", "payment_information_missing":
        "{name}: {reminder}",
        "{name}: el empleador tiene que pagar a la agencia, porque un pago electrónico no puede indicar el caso. Hacen falta el número de \
         Seguro Social del empleado y un identificador de la orden de 20 caracteres como máximo.";
    FLUCTUATING_WORKWEEK = "fluctuating_workweek_not_applied", "fluctuating_workweek_not_applied":
        "the fluctuating workweek was ignored in {state}: {section} requires one and a half times the rate",
        "la semana laboral fluctuante no cuenta en {state}: {section} pide una vez y media la tarifa";
    MINIMUM_WAGE_OF_PERIOD = "minimum_wage_by_pay_period", "minimum_wage_by_pay_period":
        "hours were entered without workweeks, so pay was checked against the minimum wage for the whole pay period; the law requires it \
         for each workweek (29 CFR 531.35): the employer enters them by day or workweek, with the hours of the payroll",
        "se indicaron horas sin semanas laborales, de modo que el pago se comparó con el salario mínimo de todo el período; la ley lo pide \
         por semana laboral (29 CFR 531.35): el empleador las indica por día o por semana, con las horas de la nómina";
    HOURS_OF_DAY = "hours_of_day_exceeded", "hours_of_day_exceeded":
        "hours on {day} total {hours} including those paid by other payrolls, more than 24: remove what was entered twice",
        "las horas del {day} suman {hours} con las que pagaron otras nóminas, más de 24: retire las que se indicaron dos veces";
    ZIP_OF_OTHER_STATE = "zip_not_of_state", "zip_of_other_state":
        "the ZIP code {zip} of the {what} in {state} is in {found} according to the ZIP code table, so county taxes and minimum wages \
         were not looked up: correct the address or set its county and city by hand",
        "el código postal {zip} de una dirección en {state} está en {found} según la tabla de códigos postales, de modo que no se buscaron \
         los impuestos ni los salarios mínimos de su condado: corrija la dirección";
    ZIP_NOT_FOUND = "zip_not_of_state", "zip_not_found":
        "the ZIP code {zip} of the {what} in {state} is in no county of the ZIP code table, so county taxes and minimum wages were not \
         looked up: correct the address or set its county and city by hand",
        "el código postal {zip} de una dirección en {state} no está en ningún condado de la tabla de códigos postales, de modo que no se \
         buscaron los impuestos ni los salarios mínimos de su condado: corrija la dirección";
    COUNTY_ASSUMED = "place_not_known", "county_assumed":
        "the {what} in {at} may lie in one of several counties: {name} counts until the question for the county is answered with the \
         address",
        "una dirección en {at} puede estar en varios condados: cuenta {name} hasta que se responda en la dirección cuál es";
    COUNTY_NOT_KNOWN = "place_not_known", "county_not_known":
        "the county of the {what} in {at} is not known, so no county tax is withheld until the question for it is answered with the address",
        "no se sabe en qué condado está una dirección en {at}, de modo que no se retiene impuesto de condado hasta que se responda \
         en la dirección";
    CITY_ASSUMED = "place_not_known", "city_assumed":
        "the {what} in {at} may lie outside the city limits: the tax of {name} is withheld until the question for the city is answered with \
         the address",
        "una dirección en {at} puede estar fuera de los límites de la ciudad: se retiene el impuesto de {name} hasta que se responda \
         en la dirección en qué ciudad está";
    CITY_NOT_KNOWN = "place_not_known", "city_not_known":
        "the {what} in {at} may lie in a city that taxes pay, and no city tax is withheld until the question for the city is answered with \
         the address",
        "una dirección en {at} puede estar en una ciudad que grava los salarios, y no se retiene su impuesto hasta que se responda en \
         la dirección en qué ciudad está";
    DISTRICT_NOT_KNOWN = "place_not_known", "school_district_not_known":
        "the school districts around the {what} in {at} tax differently, and no school district tax is withheld until the question for the \
         district is answered with the address",
        "los distritos escolares de una dirección en {at} no gravan igual, y no se retiene su impuesto hasta que se responda en la \
         dirección cuál es";
    DISTRICT_SHORT = "place_not_known", "school_district_short":
        "the school district answered for the home in {at} is no full name of a district; it used to be taken for any district whose name \
         begins with it: answer it again with the full name or the four-digit number, and check what was withheld",
        "el distrito escolar indicado para el domicilio en {at} no es el nombre completo de un distrito; antes se tomaba por cualquiera cuyo \
         nombre empezara así: indíquelo de nuevo con su nombre completo o su número, y revise lo retenido";
    DISTRICT_UNKNOWN = "place_not_known", "school_district_unknown":
        "the school district answered for the home in {at} is no district of Ohio, or the name of several, so no school district tax is \
         withheld: answer it again with the full name or the four-digit number",
        "el distrito escolar indicado para el domicilio en {at} no es un distrito de Ohio, o es el nombre de varios, de modo que no se retiene \
         su impuesto: indíquelo de nuevo con su nombre completo o su número";
    MUNICIPALITY_NOT_KNOWN = "place_not_known", "municipality_not_known":
        "the township, borough or city of the {what} in {at} is not known, so no earned income tax or local services tax of it is withheld \
         until the question for it is answered with the address",
        "no se sabe en qué municipio está una dirección en {at}, de modo que no se retienen sus impuestos hasta que se responda en la \
         dirección";
    TRANSIT_NOT_KNOWN = "place_not_known", "transit_district_not_known":
        "the {what} in {at} may lie in a transit district, and no tax of one is due until the question for the district is answered with the \
         address",
        "una dirección en {at} puede estar en un distrito de transporte, y no se calcula su impuesto hasta que se responda en la dirección \
         cuál es";
    METRO_ASSUMED = "place_not_known", "metro_assumed":
        "the {what} in {at} may lie outside {name}: its tax is withheld until the question for it is answered with the address",
        "una dirección en {at} puede estar fuera de {name}: se retiene su impuesto hasta que se responda en la dirección";
    METRO_NOT_KNOWN = "place_not_known", "metro_not_known":
        "the {what} in {at} may lie in Metro, and its tax is not withheld until the question for it is answered with the address",
        "una dirección en {at} puede estar en Metro, y no se retiene su impuesto hasta que se responda en la dirección";
    LOCAL_RATE_OF_OTHER_COUNTY = "certificate_contradicts_address", "local_rate_of_other_county":
        "the local rate was answered with {answered} percent, but the home in {home} is in {county}, whose rate is {rate}: correct the answer or \
         the address",
        "como tasa local se respondió {answered} por ciento, pero el domicilio en {home} está en {county}, cuya tasa es {rate}: corrija la \
         respuesta o la dirección";
    WORK_ADDRESS_CHANGED = "places_changed_for_paid_days", "work_address_changed_for_paid_days":
        "the work address from {from} on was entered or changed after days up to {until} had been paid. Taxes already withheld are \
         unchanged; if the address is in another state or locality, correct the taxes for those days manually",
        "la dirección de trabajo desde el {from} se indicó o cambió después de pagarse los días hasta el {until}. Los impuestos retenidos no \
         cambian; si la dirección está en otro estado o localidad, corrija a mano los impuestos de esos días";
    HOME_ADDRESS_CHANGED = "places_changed_for_paid_days", "home_address_changed_for_paid_days":
        "the home address from {from} on was entered or changed after days up to {until} had been paid. Taxes already withheld are \
         unchanged; if the address is in another state or locality, correct the taxes for those days manually",
        "el domicilio desde el {from} se indicó o cambió después de pagarse los días hasta el {until}. Los impuestos retenidos no cambian; \
         si la dirección está en otro estado o localidad, corrija a mano los impuestos de esos días";
    W4_EXEMPTION_OVER = "w4_exemption_over", "w4_exemption_over":
        "the exemption from withholding claimed on Form W-4 in {year} ended on {last}; income tax was withheld as for Single without \
         adjustments: ask for a new form",
        "la exención de retención que se pidió en {year} en el Formulario W-4 terminó el {last}; el impuesto sobre la renta se retuvo como \
         de un soltero sin ajustes: pida un formulario nuevo";
    W4_EXEMPTION_ENDS = "w4_exemption_ends", "w4_exemption_ends":
        "the exemption from withholding claimed on Form W-4 in {year} ends on {last}; income tax is withheld from then on unless a new \
         form claims it: ask for a new form",
        "la exención de retención que se pidió en {year} en el Formulario W-4 termina el {last}; desde entonces se retiene el impuesto sobre \
         la renta, salvo que un formulario nuevo la pida: pida un formulario nuevo";
    NO_FORM_W4 = "no_form_w4", "no_form_w4":
        "no Form W-4 is on file: federal income tax was withheld as for Single without adjustments",
        "no hay ningún Formulario W-4: el impuesto federal sobre la renta se retuvo como de un soltero sin ajustes";
    NO_STATE_CERTIFICATE = "no_state_certificate", "no_state_certificate":
        "no question of {state} about withholding is answered: its income tax was calculated as for somebody without a certificate",
        "no se respondió ninguna pregunta de {state} sobre la retención: su impuesto sobre la renta se calculó como de quien no entregó \
         un certificado";
    NO_SSN = "no_ssn", "no_ssn":
        "no Social Security number is on file: wages cannot be reported without it",
        "no hay ningún número de Seguro Social: sin él no se pueden declarar los salarios";
    RETURNED_ACCOUNT = "returned_account", "returned_account":
        "a bank returned the last payment to the account {account} ({code}): its part goes to the employee's other accounts, until the \
         account is corrected or pay is paid again to another account",
        "un banco devolvió el último pago a la cuenta {account} ({code}): su parte va a las otras cuentas, hasta que se corrija la cuenta o \
         se pague de nuevo a otra";
    RETURNED_ONLY_ACCOUNT = "returned_account", "returned_only_account":
        "a bank returned the last payment to the account {account} ({code}), and there is no other account: this pay is paid by check, \
         which the employer hands out; ask the employee for another account",
        "un banco devolvió el último pago a la cuenta {account} ({code}) y no hay otra cuenta: este pago es por cheque, que entrega el \
         empleador; pida otra cuenta";
    TIPPED_WORK = "tipped_work_not_certain", "tipped_work_not_certain":
        "the tip credit depends on the kind of work, which is {kinds}; {rate} an hour is the cash wage of neither kind, so the tip credit \
         of {credit} an hour for {counted} was used",
        "el crédito por propinas depende del tipo de trabajo, y {rate} por hora no es el salario en efectivo de ninguno; se usó un crédito \
         de {credit} por hora";
    MINIMUM_WAGE_NOT_RENEWED = "previous_year_tables", "minimum_wage_not_renewed":
        "the minimum wage ({whose}) changes every year, and the figure for {day} is missing; that of {since} was used: {remedy}",
        "falta el salario mínimo ({whose}) del {day}; se usó el del {since}";
    TIP_CREDIT_NOT_RENEWED = "previous_year_tables", "tip_credit_not_renewed":
        "the tip credit for the minimum wage of {wage} from {from} on is missing; the credit of {credit} an hour since {since} was used, \
         so the adjustment may be more than is owed",
        "falta el crédito por propinas del salario mínimo de {wage} desde el {from}; se usó el de {credit} por hora desde el {since}";
    BELOW_MINIMUM_WAGE = "below_minimum_wage", "below_minimum_wage":
        "{rate} an hour is below {least} an hour, the minimum wage at the place of work, and pay was not adjusted to it: raise the rate or \
         have pay adjusted to it, unless an exception in the law applies",
        "{rate} por hora es menos que {least} por hora, el salario mínimo del lugar de trabajo, y el pago no se ajustó a él";
    TIPS_BY_SHIFT = "tips_by_shift", "tips_by_shift":
        "Massachusetts requires wages and tips to reach the minimum wage in each shift (M.G.L. c. 151, s. 7); tips are entered without \
         shifts, so those of one shift counted for others: pay what was missing of a shift as a correction",
        "Massachusetts exige al final de cada turno que salario y propinas alcancen el salario mínimo; las propinas se indicaron sin turnos, \
         de modo que las de un turno contaron para otros";
    SUNDAYS_AND_HOLIDAYS = "sunday_and_holiday_pay", "sunday_and_holiday_pay":
        "work in Rhode Island on Sundays and holidays is paid at least one and a half times the rate, unless the employer is exempt (R.I. \
         Gen. Laws 25-3-3); hours on {days} were paid straight: enter what is missing as a correction",
        "en Rhode Island el trabajo en domingos y días festivos se paga al menos a una vez y media la tarifa, salvo excepción de la ley; las \
         horas ({days}) se pagaron a la tarifa normal";
    SUNDAYS_NOT_KNOWN = "sunday_and_holiday_pay", "sundays_not_known":
        "work in Rhode Island on Sundays and holidays is paid at least one and a half times the rate, unless the employer is exempt (R.I. \
         Gen. Laws 25-3-3); hours were entered without days and paid straight: enter what is missing as a correction",
        "en Rhode Island el trabajo en domingos y días festivos se paga al menos a una vez y media la tarifa, salvo excepción de la ley; las \
         horas se indicaron sin días y se pagaron a la tarifa normal";
    SPREAD_OF_HOURS = "spread_of_hours", "spread_of_hours":
        "New York requires one more hour at the minimum wage for a day that lasts more than ten hours from its beginning to its end (12 \
         NYCRR 142-2.4, 146-1.6), which is not calculated; {day} has more than ten hours: enter what is owed as a correction",
        "Nueva York exige una hora más al salario mínimo por un día que dura más de diez horas; no se calculó, y el {day} tiene más de diez \
         horas";
    SUPPLEMENTAL_ALONE = "supplemental_alone", "supplemental_alone":
        "no rate of {state} for supplemental wages applies: its formula for regular wages was used on what this payroll pays alone, with \
         the deductions and low brackets of a whole pay period. The state requires the tax on it together with the regular wages of the pay \
         period, less what was withheld of those: where that is more, pay both in one payroll",
        "{state} no tiene una tasa para salarios suplementarios; se usó la fórmula de los salarios regulares solo sobre lo que paga esta \
         nómina, y corresponde más si se suma a los salarios regulares del período";
    MINIMUM_WAGE_NOT_FOUND = "minimum_wage_not_found", "minimum_wage_not_found":
        "the chosen minimum wages do not apply at the place of work on {day}; pay was not adjusted to them where they do not apply",
        "los salarios mínimos elegidos no rigen en el lugar de trabajo el {day}; el pago no se ajustó a ellos donde no rigen";
    NO_TIP_CREDIT = "minimum_wage_without_tip_credit", "minimum_wage_without_tip_credit":
        "tips cannot count toward the minimum wage in {state}, so none counted from {day} on. The adjustment is not for work there: the \
         rate itself must be at least the minimum wage of {least} an hour",
        "en {state} las propinas no cubren ninguna parte del salario mínimo, que es de {least} por hora y que la tarifa tiene que \
         alcanzar; no se contó ninguna propina desde el {day}";
    EARLIER_TABLE = "previous_year_tables", "earlier_table":
        "{table}; one of an earlier year was used",
        "falta una tabla de impuestos de este año; se usó la de un año anterior";
    EARLIER_LOCAL_TABLES = "previous_year_tables", "earlier_local_tables":
        "the tables of state programs and local taxes of {year} are not held; those of {held} were used",
        "no se tienen las tablas de programas estatales e impuestos locales de {year}; se usaron las de {held}";
    SUPPLEMENTAL_RATE = "supplemental_rate_not_used", "supplemental_rate_not_used":
        "the rate of {state} for supplemental wages is not confirmed; the formula for regular wages was used: check the rate against the \
         state's notice, and have the operator confirm {confirm}",
        "la tasa de {state} para salarios suplementarios no está confirmada; se usó la fórmula de los salarios regulares";
    STATE_WAGES = "state_wages_in_doubt", "state_wages_in_doubt":
        "whether {item} counts as wages of {state} is not confirmed; it was treated as in federal wages: check it against the state's \
         notice, and have the operator confirm {confirm}",
        "no está confirmado si {item} cuenta como salario de {state}; cuenta como en los salarios federales";
    PREVIOUS_RATE = "previous_rate_used", "previous_rate_used":
        "the figure of {tax} for pay on {day} is not confirmed; the one in force until {last} was used: check the new one against the \
         authority's notice, and have the operator confirm {confirm}",
        "la cifra de {tax} para pagos del {day} no está confirmada; se usó la que rigió hasta el {last}";
    TAX_WAGES = "tax_wages_in_doubt", "tax_wages_in_doubt":
        "whether {item} counts as wages for {taxes} is not certain; it was treated as for federal unemployment tax: {remedy}",
        "no es seguro si {item} cuenta como salario para {taxes}; cuenta como para el impuesto federal de desempleo";
    WORK_DAYS = "work_days_not_known", "work_days_not_known":
        "hours at {place} were entered without dates this year, so the days worked there are unknown and its tax is withheld regardless \
         of the number of days that it exempts: the employer enters them by day, with the hours of the payroll",
        "las horas en {place} se indicaron sin sus días este año, de modo que no se sabe cuántos días se trabajó allí y su impuesto se \
         retiene de todos modos: el empleador las indica por día, con las horas de la nómina";
    LUMP_SUM = "lump_sum_to_report", "lump_sum_to_report":
        "report {amount} to the child support agency of {state} before it is paid; the agency has {days} days to answer ({section})",
        "hay que informar a la agencia de manutención de menores de {state} de {amount} antes de que se paguen, y tiene {days} días para \
         responder ({section})";
    CERTIFICATE_SAYS_RESIDENT = "certificate_contradicts_address", "certificate_says_resident":
        "{question} says that the home is in {city}, but the address in {home} is not; the answer was used: ask the employee to answer \
         again, or correct the address",
        "el certificado dice que el domicilio está en {city}, y la dirección en {home} no lo está; se usó la respuesta: pida al empleado que \
         responda otra vez, o corrija la dirección";
    CERTIFICATE_SAYS_NONRESIDENT = "certificate_contradicts_address", "certificate_says_nonresident":
        "{question} says that the home is not in {city}, but the address in {home} is; the answer was used: ask the employee to answer \
         again, or correct the address",
        "el certificado dice que el domicilio no está en {city}, y la dirección en {home} sí lo está; se usó la respuesta: pida al empleado \
         que responda otra vez, o corrija la dirección";
}

/// Keys of warnings that tell employees what was not taken from their pay. All others ask something of the employer, or tell of what
/// the employer has not settled.
const FOR_EMPLOYEES: [&str; 2] = ["deductions_cut", "taxes_not_collected"];

/// Keys of warnings that somebody at the employer has to confirm before the payroll is submitted on a page.
const TO_CONFIRM: [&str; 2] = [BELOW_MINIMUM_WAGE.key, BALANCE_EXCEEDED.key];

impl Warning {
    /// Whether somebody has to say that it is as it should be, before the payroll is submitted.
    pub fn is_to_confirm(&self) -> bool {
        TO_CONFIRM.contains(&&*self.key)
    }

    /// Whether it belongs on a pay stub.
    pub fn is_for_employees(&self) -> bool {
        FOR_EMPLOYEES.contains(&&*self.key)
    }

    /// Returns the text in a language, and the language it is in: English where this version does not have the text.
    pub fn in_language(&self, language: Language) -> (String, Language) {
        let translated = match language {
            Language::English => None,
            Language::Spanish => spanish_text(self),
        };
        match translated {
            Some(text) => (text, language),
            None => (self.message.clone(), Language::English),
        }
    }
}

/// Returns the English sentence of a text of this crate; `None` if it has none of that name.
pub(in crate::pay::payrolls::record) fn english_text(
    name: &str,
    values: &BTreeMap<String, String>,
) -> Option<String> {
    let text = ALL.iter().find(|text| text.name == name)?;
    Some(with_values(text.english, values))
}

fn spanish_text(warning: &Warning) -> Option<String> {
    let own = ALL.iter().find(|text| text.name == warning.text).map(|text| text.spanish);
    let of_rules = || OF_RULES.iter().find(|(name, _)| *name == warning.text).map(|(_, spanish)| *spanish);
    own.or_else(of_rules).map(|text| with_values(text, &warning.values))
}

fn with_values(text: &str, values: &BTreeMap<String, String>) -> String {
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (&**name, &**value)).collect();
    fill_placeholders(text, &values)
}

impl Warning {
    /// Whether it is about the payroll as a whole, and is told once for it: an earlier year's table that was used.
    pub fn is_of_payroll(&self) -> bool {
        [EARLIER_TABLE, EARLIER_LOCAL_TABLES].iter().any(|text| text.is_of(self))
    }
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
