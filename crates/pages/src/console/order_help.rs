//! An explanation of each field of an income withholding order for those who enter it, one catalogue per language. A
//! text that is missing in one language is a compile error.

use domain::language::Language;

/// A label and the field's explanation.
pub type Help = (&'static str, &'static str);

/// The catalogue: each text explains the field of its name.
pub struct OrderHelp {
    pub title: &'static str,
    pub field: &'static str,
    pub value: &'static str,
    pub meaning: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    pub not_told: &'static str,
    pub payment_period: Help,
    pub pay_period_maximum: Help,
    pub current_support: Help,
    pub arrears: Help,
    pub medical_support: Help,
    pub health_insurance_premium: Help,
    pub arrears_over_12_weeks: Help,
    pub supports_other_family: Help,
    pub received_on: Help,
}

/// The language's catalogue.
pub const fn help_in_language(language: Language) -> &'static OrderHelp {
    match language {
        Language::English => &ENGLISH,
        Language::Spanish => &SPANISH,
    }
}

const ENGLISH: OrderHelp = OrderHelp {
    title: "Income withholding order",
    field: "Field",
    value: "Held",
    meaning: "What it means",
    yes: "yes",
    no: "no",
    not_told: "not told",
    payment_period: (
        "Payment period",
        "How often the order asks for its amounts. They are converted to your pay period: weekly amounts times 52, divided by your pay \
         periods of a year.",
    ),
    pay_period_maximum: (
        "Total amount to withhold",
        "The sum of all amounts of the order for a payment period. No more is taken, and less where the legal limit of disposable \
         earnings is reached first.",
    ),
    current_support: (
        "Current support",
        "Child and spousal support that falls due in each payment period. It is taken before anything past due.",
    ),
    arrears: (
        "Past-due support",
        "What is taken towards support that was not paid in time. It is taken after current and medical support.",
    ),
    medical_support: (
        "Cash medical support",
        "Money for the children's medical costs, instead of or in addition to insurance. It is not the premium of an insurance.",
    ),
    health_insurance_premium: (
        "Health insurance premium",
        "The children's part of a premium that a National Medical Support Notice orders. Enter the deduction itself as a benefit: this \
         amount leaves less of the limit for past-due support.",
    ),
    arrears_over_12_weeks: (
        "Arrears of more than 12 weeks",
        "Whether support is past due for more than 12 weeks, as the order says. Then the legal limit is five percent of disposable \
         earnings higher (15 USC 1673(b)(2)).",
    ),
    supports_other_family: (
        "Supports another family",
        "Whether the employee supports a spouse or child whom the order does not concern: the limit is then 50 instead of 60 percent. \
         If unanswered, the rule of the order's state applies.",
    ),
    received_on: (
        "Received on",
        "The day on which you received the order. Withholding begins with the first pay that is due after the days that the state gives.",
    ),
};

const SPANISH: OrderHelp = OrderHelp {
    title: "Orden de retención de ingresos",
    field: "Campo",
    value: "Registrado",
    meaning: "Qué significa",
    yes: "sí",
    no: "no",
    not_told: "sin indicar",
    payment_period: (
        "Período de pago de la orden",
        "Con qué frecuencia pide la orden sus importes. Se convierten a su período de nómina: los importes semanales por 52, divididos \
         entre sus períodos de nómina del año.",
    ),
    pay_period_maximum: (
        "Importe total a retener",
        "La suma de todos los importes de la orden en un período de pago. No se retiene más, y se retiene menos si antes se alcanza el \
         límite legal de los ingresos disponibles.",
    ),
    current_support: (
        "Manutención actual",
        "La manutención de los hijos y del cónyuge que vence en cada período de pago. Se retiene antes que cualquier importe atrasado.",
    ),
    arrears: (
        "Manutención atrasada",
        "Lo que se retiene para la manutención que no se pagó a tiempo. Se retiene después de la manutención actual y la médica.",
    ),
    medical_support: (
        "Manutención médica en efectivo",
        "Dinero para los gastos médicos de los hijos, en lugar de un seguro o además de él. No es la prima de un seguro.",
    ),
    health_insurance_premium: (
        "Prima del seguro médico",
        "La parte de los hijos en la prima que ordena una Notificación Nacional de Manutención Médica. Registre la deducción misma como \
         beneficio: este importe deja menos del límite para la manutención atrasada.",
    ),
    arrears_over_12_weeks: (
        "Atrasos de más de 12 semanas",
        "Si la manutención está atrasada por más de 12 semanas, según la orden. En ese caso el límite legal es cinco por ciento de los \
         ingresos disponibles más alto (15 USC 1673(b)(2)).",
    ),
    supports_other_family: (
        "Mantiene a otra familia",
        "Si el empleado mantiene a un cónyuge o hijo al que la orden no se refiere: el límite es entonces del 50 en lugar del 60 por ciento. \
         Sin indicar, cuenta lo que dice el estado de la orden.",
    ),
    received_on: (
        "Recibida el",
        "El día en que usted recibió la orden. La retención empieza con el primer pago que vence después de los días que da el estado.",
    ),
};

#[cfg(test)]
mod tests {
    use super::*;

    fn all(help: &OrderHelp) -> [Help; 9] {
        [
            help.payment_period,
            help.pay_period_maximum,
            help.current_support,
            help.arrears,
            help.medical_support,
            help.health_insurance_premium,
            help.arrears_over_12_weeks,
            help.supports_other_family,
            help.received_on,
        ]
    }

    #[test]
    fn each_field_is_explained_in_words_of_each_language() {
        for (english, spanish) in all(&ENGLISH).into_iter().zip(all(&SPANISH)) {
            for text in [english.0, english.1, spanish.0, spanish.1] {
                assert!(!text.trim().is_empty());
            }
            assert_ne!(english, spanish);
        }
    }
}
