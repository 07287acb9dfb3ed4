//! The texts of warnings that the rules give: the rules have the English ones, and this catalogue the Spanish ones.

use rules::Named as _;
use rules::payroll::Warning as Given;
use rules::payroll::garnishment::NotApplied;
use rules::taxes::EnteredBy;

use crate::pay::payrolls::record::texts::owned_values;
use crate::pay::payrolls::record::warning::Warning;
use crate::platform::law;

/// The Spanish texts of warnings from the rules; the rules provide the English ones.
pub(in crate::pay::payrolls::record) const OF_RULES: &[(&str, &str)] = &[
    (
        "no_state_tax",
        "no se retuvo ningún impuesto estatal sobre la renta; indique el importe si corresponde alguno",
    ),
    (
        "no_tax_of_state",
        "no se retuvo ningún impuesto sobre la renta de {state}; indique el importe si corresponde alguno",
    ),
    (
        "county_of_state_not_known",
        "no se conoce el condado del domicilio en {state}; se retuvo la tasa prevista para ello: complete la dirección o la respuesta",
    ),
    ("tax_not_worked_out", "{name}: este impuesto no se calculó"),
    (
        TAX_LACKS_COMPANY_TAXES,
        "{name}: este impuesto no se calculó; lo que falta lo indica el empleador con los impuestos estatales de la empresa",
    ),
    (
        TAX_LACKS_HOME,
        "{name}: este impuesto no se calculó; lo que falta lo responde el empleado con su domicilio",
    ),
    (
        TAX_LACKS_LOCATION,
        "{name}: este impuesto no se calculó; lo que falta lo responde el empleador con el lugar de trabajo",
    ),
    (
        TAX_LACKS_ADDRESS,
        "{name}: este impuesto no se calculó; lo que falta lo responde el empleado con su domicilio o el empleador con el lugar de trabajo",
    ),
    (
        TAX_LACKS_CERTIFICATE,
        "{name}: este impuesto no se calculó; lo que falta lo responde el empleado con las preguntas del estado sobre la retención",
    ),
    (
        TAX_LACKS_TABLE,
        "{name}: este impuesto no se calculó; lo que falta lo completa quien opera el servicio",
    ),
    (
        "supplied_tax_not_used",
        "no se retuvo el importe indicado para {code}: el impuesto se calcula o no corresponde; retire el importe",
    ),
    (
        "exemption_past_age",
        "se retuvieron los impuestos del Seguro Social y de Medicare aunque está indicada la exención de {section}: el empleado ya pasó \
         la edad en la que termina; retire la exención",
    ),
    (
        "exemption_without_birth_date",
        "se retuvieron los impuestos del Seguro Social y de Medicare aunque está indicada la exención de {section}: falta la fecha de \
         nacimiento, que lo decide; indíquela",
    ),
    (
        "nonresident_amounts_missing",
        "la tabla federal de {year} no tiene importes que sumar a los salarios de extranjeros no residentes, y no se sumó ninguno",
    ),
    (
        "taxes_not_collected",
        "el pago no alcanza para todos los impuestos del empleado: no se retuvieron {amount}",
    ),
    ("deductions_cut", "el pago no alcanza para todas las deducciones: no se tomaron {amount}"),
    ("limit_not_confirmed", "lo que {section} deja de un pago no está confirmado y no se aplicó"),
    (
        "fee_not_confirmed",
        "el cargo que un empleador puede tomar por un embargo en {state} no está confirmado, y no se tomó ninguno",
    ),
    (
        "fee_not_known",
        "no se conoce el cargo que un empleador puede tomar por un embargo de este tipo, y no se tomó ninguno",
    ),
    (
        "fee_by_presumed_hours",
        "no se conocen las horas que pagó el salario, y el cargo por un embargo deja el salario mínimo de 40 horas por semana: indique las \
         horas, o no tome ningún cargo",
    ),
    (
        "levy_amounts_of_earlier_year",
        "no se conocen los importes de {year} exentos de un embargo fiscal federal, y se usaron los de {used}",
    ),
    (
        "levy_amounts_missing",
        "no se conocen los importes de {year} exentos de un embargo fiscal federal, y no se tomó nada por él",
    ),
    (
        "no_limit_of_state_levies",
        "no se conoce el límite de los embargos fiscales de {state}; se usó el de los acreedores (15 USC 1673(a))",
    ),
    (
        "overtime_below_law",
        "se indicaron {entered} horas extra para la semana laboral del {week}, y la ley pide {due} ({section}): indique las que faltan",
    ),
    (
        "overtime_not_recalculated",
        "un bono o una comisión se ganó en {count} semanas laborales, y solo de {known} de ellas se conocen las horas; la prima por horas \
         extra de las demás no se volvió a calcular (29 CFR 778.209): pague lo que falte como corrección",
    ),
    (
        "medical_premium_not_deducted",
        "las órdenes de manutención indican primas de seguro médico de {ordered}, y se descontaron {deducted} por él",
    ),
    (
        "premiums_missed",
        "no se descontaron primas de períodos de pago anteriores por {amount} ({benefits}); los pagos siguientes las descuentan si la empresa \
         así lo decide",
    ),
    ("birth_date_needed", NOT_IMPUTED),
    ("pay_schedule_needed", NOT_IMPUTED),
    ("salary_needed", NOT_IMPUTED),
    (
        "limit_option_needed",
        "un beneficio tomó o dio menos de lo pedido, por el menor de sus límites legales: indique en el registro del empleado cuál rige",
    ),
    (
        "roth_catch_up_needed",
        "un beneficio tomó menos de lo pedido: las aportaciones de recuperación del empleado tienen que ser aportaciones Roth \
         (26 USC 414(v)(7)), que requieren un beneficio Roth",
    ),
];

const NOT_IMPUTED: &str = "no se calculó el ingreso imputado de un seguro de vida, porque faltan datos";

/// Returns a warning from the rules as a paycheck stores it.
pub(in crate::pay::payrolls::record) fn of_rules(given: &Given) -> Warning {
    let (text, values) = text_of(given);
    Warning {
        key: given.key().to_owned(),
        message: law::warning_message(given),
        text: text.to_owned(),
        values: owned_values(values),
    }
}

/// Returns the name of a warning's text in [`OF_RULES`], with its values.
fn text_of(given: &Given) -> (&'static str, Vec<(&'static str, String)>) {
    match given {
        Given::StateTaxNotWithheld { state, .. } if state.is_empty() => ("no_state_tax", Vec::new()),
        Given::StateTaxNotWithheld { state, .. } => ("no_tax_of_state", vec![("state", state.clone())]),
        Given::CountyNotKnown { state, .. } => ("county_of_state_not_known", vec![("state", state.clone())]),
        Given::TaxNotWorkedOut { name, entered_by, .. } => {
            (text_of_lacking(*entered_by), vec![("name", name.clone())])
        }
        Given::SuppliedTaxNotUsed { code } => ("supplied_tax_not_used", vec![("code", code.clone())]),
        Given::ExemptionNotApplied { exemption, born } => {
            let text = if *born { "exemption_past_age" } else { "exemption_without_birth_date" };
            (text, vec![("section", exemption.section().to_string())])
        }
        Given::NonresidentAmountsMissing { year } => {
            ("nonresident_amounts_missing", vec![("year", year.to_string())])
        }
        Given::TaxesNotCollected { amount } => ("taxes_not_collected", vec![("amount", amount.to_string())]),
        Given::DeductionsCut { amount } => ("deductions_cut", vec![("amount", amount.to_string())]),
        Given::GarnishmentLimit(limit) => text_of_limit(limit),
        Given::OvertimeBelowLaw { week, entered, due, section } => (
            "overtime_below_law",
            vec![
                ("week", week.to_string()),
                ("entered", entered.to_text(2)),
                ("due", due.to_text(2)),
                ("section", section.clone()),
            ],
        ),
        Given::WorkweeksNotKnown { known, count } => {
            ("overtime_not_recalculated", vec![("known", known.to_string()), ("count", count.to_string())])
        }
        Given::MedicalPremium { ordered, deducted } => (
            "medical_premium_not_deducted",
            vec![("ordered", ordered.to_text(2)), ("deducted", deducted.to_text(2))],
        ),
        Given::PremiumsMissed { amount, of } => {
            ("premiums_missed", vec![("amount", amount.to_text(2)), ("benefits", of.join(", "))])
        }
        Given::Benefit(lacking) => (lacking.as_str(), Vec::new()),
    }
}

/// Names of the texts of a tax that was not calculated, by who enters what is missing.
pub(in crate::pay::payrolls::record) const TAX_LACKS_COMPANY_TAXES: &str = "tax_lacks_company_taxes";
pub(in crate::pay::payrolls::record) const TAX_LACKS_HOME: &str = "tax_lacks_home_address";
pub(in crate::pay::payrolls::record) const TAX_LACKS_LOCATION: &str = "tax_lacks_location";
pub(in crate::pay::payrolls::record) const TAX_LACKS_ADDRESS: &str = "tax_lacks_address";
pub(in crate::pay::payrolls::record) const TAX_LACKS_CERTIFICATE: &str = "tax_lacks_certificate";
pub(in crate::pay::payrolls::record) const TAX_LACKS_TABLE: &str = "tax_lacks_table";

const fn text_of_lacking(entered_by: Option<EnteredBy>) -> &'static str {
    match entered_by {
        Some(EnteredBy::CompanyTaxes) => TAX_LACKS_COMPANY_TAXES,
        Some(EnteredBy::HomeAddress) => TAX_LACKS_HOME,
        Some(EnteredBy::Location) => TAX_LACKS_LOCATION,
        Some(EnteredBy::Address) => TAX_LACKS_ADDRESS,
        Some(EnteredBy::Certificate) => TAX_LACKS_CERTIFICATE,
        Some(EnteredBy::Operator) => TAX_LACKS_TABLE,
        None => "tax_not_worked_out",
    }
}

fn text_of_limit(limit: &NotApplied) -> (&'static str, Vec<(&'static str, String)>) {
    match limit {
        NotApplied::Unconfirmed { section, .. } => {
            ("limit_not_confirmed", vec![("section", section.clone())])
        }
        NotApplied::Fee { state, key: Some(_) } => ("fee_not_confirmed", vec![("state", state.clone())]),
        NotApplied::Fee { key: None, .. } => ("fee_not_known", Vec::new()),
        NotApplied::HoursOfFee => ("fee_by_presumed_hours", Vec::new()),
        NotApplied::EarlierYear { year, used } => {
            ("levy_amounts_of_earlier_year", vec![("year", year.to_string()), ("used", used.to_string())])
        }
        NotApplied::YearNotHeld { year } => ("levy_amounts_missing", vec![("year", year.to_string())]),
        NotApplied::NoStateLimit { state } => ("no_limit_of_state_levies", vec![("state", state.clone())]),
    }
}
