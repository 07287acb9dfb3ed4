//! The texts of a pay stub, one catalog per language. Names entered by users (benefits, orders, accounts, the company's own earning types)
//! are not translated, nor are names of state and local programs.

use rules::compensation::{PayTerms, PaymentUnit};
use rules::money::format_amount;
use rules::taxes::{TaxBook, TaxId};

use crate::language::{Language, fill_placeholders};
use crate::pay::payrolls::record::kinds::{FixedKind, HourlyKind, TimeOffKind};
use crate::pay::payrolls::record::lines::{Earned, Earning};

/// The catalog. `{name}` is replaced by a value.
#[expect(missing_docs, reason = "a text says what it is")]
#[derive(Debug)]
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,
    pub intro_open: &'static str,
    pub intro_void: &'static str,
    pub employee: &'static str,
    pub employer: &'static str,
    pub ssn: &'static str,
    pub period: &'static str,
    pub period_line: &'static str,
    pub period_days: &'static str,
    pub payday: &'static str,
    pub earnings: &'static str,
    pub salary: &'static str,
    pub of_job: &'static str,
    pub with: &'static str,
    pub hours: &'static str,
    pub hours_at: &'static str,
    pub per: [&'static str; 4],
    pub time_off_paid: &'static str,
    pub premium: &'static str,
    pub further: &'static str,
    pub further_of_year: &'static str,
    pub gross: &'static str,
    pub taxes: &'static str,
    pub no_taxes: &'static str,
    pub all_taxes: &'static str,
    pub all_deductions: &'static str,
    /// the country; cities and districts of a state; others
    pub agencies: [&'static str; 3],
    pub deductions: &'static str,
    pub fee: &'static str,
    pub payment: &'static str,
    pub cash_tips: &'static str,
    pub net: &'static str,
    pub reimbursements: &'static str,
    pub paid_out: &'static str,
    pub by_check: &'static str,
    pub account_gone: &'static str,
    pub debited_again: &'static str,
    pub not_paid_out: &'static str,
    pub time_off: &'static str,
    pub earned: &'static str,
    pub taken: &'static str,
    pub hours_paid_out: &'static str,
    pub balance: &'static str,
    pub year: &'static str,
    pub uncollected: [&'static str; 2],
    pub box_12: &'static str,
    pub on_top: &'static str,
    pub notes: &'static str,
    pub hours_unknown: &'static str,
    pub hourly: [&'static str; 3],
    pub kinds_of_time_off: [&'static str; 4],
    pub fixed: [&'static str; 6],
    pub language: Language,
}

/// Returns the catalog of a language.
pub const fn words_in(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Spanish => &SPANISH,
    }
}

impl Words {
    /// Returns the name of a kind of hours worked.
    pub const fn hourly_label(&self, kind: HourlyKind) -> &'static str {
        self.hourly[kind.kind_index()]
    }

    /// Returns the rate of a salary, such as `$52,000.00 a year`; `None` for pay by the hour.
    pub fn salary_rate(&self, terms: &PayTerms) -> Option<String> {
        let words = self.per[match terms.unit {
            PaymentUnit::Hour => return None,
            PaymentUnit::Week => 0,
            PaymentUnit::Month => 1,
            PaymentUnit::Year => 2,
            PaymentUnit::Paycheck => 3,
        }];
        Some(fill_placeholders(words, &[("rate", &format_amount(terms.rate))]))
    }

    /// Returns the name of a kind of time off.
    pub const fn time_off_label(&self, kind: TimeOffKind) -> &'static str {
        self.kinds_of_time_off[match kind {
            TimeOffKind::Vacation => 0,
            TimeOffKind::Sick => 1,
            TimeOffKind::Holiday => 2,
            TimeOffKind::Unpaid => 3,
        }]
    }

    /// Returns the name of an earning.
    pub const fn earning_label<'e>(&'e self, of: Earned<'e>) -> &'e str {
        match of.earning {
            Earning::Salary => self.salary,
            Earning::Hourly(kind) => self.hourly_label(kind),
            Earning::TimeOff(Some(kind)) => self.time_off_label(kind),
            Earning::TimeOff(None) => self.time_off_paid,
            Earning::RecalculatedPremium => self.premium,
            Earning::Fixed(kind) => self.fixed_label(kind),
            Earning::Custom(_) => of.name,
            Earning::Further => self.further,
        }
    }

    /// Returns the name of a line of pay that is an amount.
    pub const fn fixed_label(&self, kind: FixedKind) -> &'static str {
        self.fixed[match kind {
            FixedKind::Bonus => 0,
            FixedKind::Commission => 1,
            FixedKind::PaycheckTips => 2,
            FixedKind::CashTips => 3,
            FixedKind::Correction => 4,
            FixedKind::MinimumWageAdjustment => 5,
        }]
    }

    /// Returns the name of a tax: that of the tax book in this language, or else its label.
    pub fn tax_label(&self, id: &TaxId, label: &str) -> String {
        let translated = match self.language {
            Language::English => None,
            Language::Spanish => TaxBook::built_in().get(id).and_then(|entry| entry.label_es.as_deref()),
        };
        translated.unwrap_or(label).to_owned()
    }
}

const ENGLISH: Words = Words {
    title: "Pay stub",
    intro: "Earnings, deductions and net pay.",
    intro_open: "Not processed yet: these figures can still change.",
    intro_void: "Void: this pay was not owed and was taken back. It counts in no total of the year.",
    employee: "Employee",
    employer: "Employer",
    ssn: "SSN ***-**-{digits}",
    period: "Pay period",
    period_line: "Days",
    period_days: "{from} to {until}",
    payday: "Pay date",
    earnings: "Earnings",
    salary: "Salary",
    of_job: "{name} (job {number})",
    with: "{name}, {basis}",
    hours: "{hours} h",
    hours_at: "{hours} h at {rate}",
    per: ["{rate} a week", "{rate} a month", "{rate} a year", "{rate} a paycheck"],
    time_off_paid: "Paid time off",
    premium: "Recalculated Overtime Premium",
    further: "Further earnings",
    further_of_year: "Further earnings of the year",
    gross: "Gross pay",
    taxes: "Employee taxes",
    no_taxes: "No taxes",
    all_taxes: "All taxes",
    all_deductions: "All deductions",
    agencies: ["United States", "{state}, cities and districts", "Other"],
    deductions: "Deductions",
    fee: "Fee of the employer: {name}",
    payment: "Payment",
    cash_tips: "Tips received in cash",
    net: "Net pay",
    reimbursements: "Reimbursements",
    paid_out: "Paid out",
    by_check: "By check",
    account_gone: "A bank account no longer on file",
    debited_again: "{account}, debited again",
    not_paid_out: "Not paid out yet",
    time_off: "Time off",
    earned: "{name}, earned",
    taken: "{name}, taken",
    hours_paid_out: "{name}, paid out",
    balance: "{name}, balance",
    year: "Year {year} to date",
    uncollected: ["Uncollected Social Security tax on tips", "Uncollected Medicare tax on tips"],
    box_12: "{name} (Form W-2, box 12, code {code})",
    on_top: "Employer taxes and contributions",
    notes: "Notes",
    hours_unknown: "The hours of this pay period can no longer be read; the amounts are those that were paid.",
    hourly: [
        HourlyKind::Regular.as_str(),
        HourlyKind::Overtime.as_str(),
        HourlyKind::DoubleOvertime.as_str(),
    ],
    kinds_of_time_off: [
        TimeOffKind::Vacation.as_str(),
        TimeOffKind::Sick.as_str(),
        TimeOffKind::Holiday.as_str(),
        TimeOffKind::Unpaid.as_str(),
    ],
    fixed: crate::pay::payrolls::record::kinds::FIXED,
    language: Language::English,
};

const SPANISH: Words = Words {
    title: "Recibo de pago",
    intro: "Lo que ganó, lo que se descontó y lo que se paga.",
    intro_open: "Todavía sin procesar: estas cifras pueden cambiar.",
    intro_void: "Anulado: este pago no se debía y se retiró. No cuenta en ningún total del año.",
    employee: "Empleado",
    employer: "Empleador",
    ssn: "Seguro Social ***-**-{digits}",
    period: "Período de pago",
    period_line: "Días",
    period_days: "del {from} al {until}",
    payday: "Día de pago",
    earnings: "Ingresos",
    salary: "Salario",
    of_job: "{name} (empleo {number})",
    with: "{name}, {basis}",
    hours: "{hours} h",
    hours_at: "{hours} h a {rate}",
    per: ["{rate} por semana", "{rate} por mes", "{rate} anuales", "{rate} por pago"],
    time_off_paid: "Tiempo libre pagado",
    premium: "Prima recalculada por horas extra",
    further: "Otros ingresos",
    further_of_year: "Otros ingresos del año",
    gross: "Pago bruto",
    taxes: "Impuestos del empleado",
    no_taxes: "Sin impuestos",
    all_taxes: "Todos los impuestos",
    all_deductions: "Todas las deducciones",
    agencies: ["Estados Unidos", "{state}, ciudades y distritos", "Otros"],
    deductions: "Deducciones",
    fee: "Cargo del empleador: {name}",
    payment: "Pago",
    cash_tips: "Propinas recibidas en efectivo",
    net: "Pago neto",
    reimbursements: "Gastos reembolsados",
    paid_out: "Se paga",
    by_check: "Con cheque",
    account_gone: "Una cuenta bancaria que ya no está registrada",
    debited_again: "{account}, cargado de vuelta",
    not_paid_out: "Todavía sin pagar",
    time_off: "Tiempo libre",
    earned: "{name}, ganadas",
    taken: "{name}, usadas",
    hours_paid_out: "{name}, pagadas sin usar",
    balance: "{name}, saldo",
    year: "Año {year} hasta hoy",
    uncollected: [
        "Impuesto del Seguro Social sobre propinas, sin cobrar",
        "Impuesto de Medicare sobre propinas, sin cobrar",
    ],
    box_12: "{name} (formulario W-2, casilla 12, código {code})",
    on_top: "Lo que además paga el empleador",
    notes: "Notas",
    hours_unknown: "Las horas de este período ya no se pueden leer; los montos son los que se pagaron.",
    hourly: ["Horas normales", "Horas extra", "Horas dobles"],
    kinds_of_time_off: [
        "Horas de vacaciones",
        "Horas por enfermedad",
        "Horas de días feriados",
        "Horas de ausencia sin sueldo",
    ],
    fixed: [
        "Bono",
        "Comisión",
        "Propinas pagadas con la nómina",
        "Propinas en efectivo",
        "Pago de corrección",
        "Ajuste al salario mínimo",
    ],
    language: Language::Spanish,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_taxes_that_everybody_pays_are_named_in_spanish_and_programs_of_states_keep_their_names() {
        let names =
            [("US_FIT", "Federal Income Tax"), ("NY_INCOME", "NY Withholding Tax"), ("CA_SDI", "CA SDI")];
        let in_language = |language| {
            names.map(|(code, label)| words_in(language).tax_label(&TaxId::of_employee(code), label))
        };
        let spanish = ["Impuesto federal sobre la renta", "Impuesto sobre la renta de NY", "CA SDI"];
        assert_eq!(in_language(Language::Spanish), spanish);
        assert_eq!(in_language(Language::English), names.map(|(_, label)| label));
    }

    #[test]
    fn english_lines_are_named_as_in_the_api() {
        let english = words_in(Language::English);
        assert!(HourlyKind::ALL.iter().all(|kind| english.hourly_label(*kind) == kind.as_str()));
        assert!(TimeOffKind::ALL.iter().all(|kind| english.time_off_label(*kind) == kind.as_str()));
        assert!(FixedKind::ALL.iter().all(|kind| english.fixed_label(*kind) == kind.as_str()));
        assert_eq!(english.premium, crate::pay::payrolls::record::kinds::RECALCULATED_PREMIUM);
    }
}
