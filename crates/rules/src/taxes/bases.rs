//! Which benefits are excluded from which base of wages: `data/taxes/tax_bases.csv`.

use std::sync::LazyLock;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::read::{self, Fault};
use super::source::Confidence;
use crate::Named;
use crate::amount::Amount;
use crate::dated::Undated;
use crate::named::serde_by_name;
use crate::withholding::TableError;

static BUILT_IN: LazyLock<BaseTable> =
    LazyLock::new(|| read::built_in("tax_bases.csv", BaseTable::parse(BaseTable::FILE)));

/// A part of the pay that some bases include and others do not.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Item {
    /// Premiums of health plans under section 125.
    #[strum(serialize = "section125_health")]
    Section125Health,
    /// Health flexible spending accounts.
    #[strum(serialize = "health_fsa")]
    HealthFsa,
    /// Dependent care accounts.
    #[strum(serialize = "dependent_care")]
    DependentCare,
    /// Health savings accounts.
    #[strum(serialize = "hsa")]
    Hsa,
    /// Pretax deferrals into a 401(k) plan, and into other plans if a base has no row for those. Roth contributions
    /// count in every base.
    #[strum(serialize = "deferral")]
    Deferral,
    /// Pretax deferrals into a 403(b), SIMPLE or SARSEP plan.
    #[strum(serialize = "other_deferral")]
    OtherDeferral,
    /// Pretax transit and parking.
    #[strum(serialize = "commuter")]
    Commuter,
    /// Imputed cost of group-term life insurance above $50,000: noncash, added where it counts.
    #[strum(serialize = "group_term_life")]
    GroupTermLife,
    /// Company payments for health plans and savings accounts of a more-than-2 % shareholder of an S corporation: noncash,
    /// added where they count. A base without a row follows Social Security, which does not count them.
    #[strum(serialize = "shareholder_insurance")]
    ShareholderInsurance,
    /// Company contributions to any other employee's health savings account: noncash, added where they count. A base without a row
    /// follows Social Security, which does not count them.
    #[strum(serialize = "employer_hsa")]
    EmployerHsa,
}

/// Number of items.
const ITEMS: usize = 10;

impl Item {
    /// Whether the item is noncash and is added to the pay where it counts.
    pub(super) fn is_imputed(self) -> bool {
        self == Self::GroupTermLife || self.follows_social_security()
    }

    /// Whether a base without a row for the item does not count it.
    fn follows_social_security(self) -> bool {
        matches!(self, Self::ShareholderInsurance | Self::EmployerHsa)
    }
}

/// A base of wages.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Base {
    /// All pay.
    #[strum(serialize = "gross")]
    Gross,
    /// Pay less cafeteria plan contributions.
    #[strum(serialize = "section125")]
    Section125,
    /// Wages of federal income tax withholding.
    #[strum(serialize = "federal_income")]
    FederalIncome,
    /// Wages of federal unemployment tax, without its wage base.
    #[strum(serialize = "futa")]
    Futa,
    /// Qualifying wages of Ohio's cities.
    #[strum(serialize = "ohio_municipal")]
    OhioMunicipal,
    /// Compensation of Kentucky's cities and counties.
    #[strum(serialize = "kentucky_local")]
    KentuckyLocal,
    /// Compensation of Pennsylvania and its municipalities.
    #[strum(serialize = "pennsylvania")]
    Pennsylvania,
    /// Gross income of New Jersey.
    #[strum(serialize = "new_jersey_income")]
    NewJerseyIncome,
    /// Wages of California's personal income tax.
    #[strum(serialize = "california_income")]
    CaliforniaIncome,
    /// Wages of the state's income tax, as given by the caller.
    #[strum(serialize = "state_wages")]
    StateWages,
    /// Wages of the state's income tax after exemptions, as given by the state's formula.
    #[strum(serialize = "state_taxable")]
    StateTaxable,
    /// The program's base was not read: any item needs a choice of base.
    #[strum(serialize = "not_read")]
    NotRead,
}

serde_by_name!(Base);

/// How an item counts in a base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, VariantArray, IntoStaticStr, EnumString)]
pub enum Treatment {
    /// It counts as wages.
    #[strum(serialize = "in")]
    In,
    /// It does not count.
    #[strum(serialize = "out")]
    Out,
    /// Not known, or from memory and not confirmed.
    #[default]
    #[strum(serialize = "not_read")]
    NotRead,
}

/// Pay of a paycheck. Deductions are non-negative; everything is whole cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wages {
    /// Cash pay before any deduction, without tips.
    pub cash: Amount,
    /// Tips.
    pub tips: Amount,
    items: [Amount; ITEMS],
}

impl Wages {
    /// Pay without tips and deductions.
    pub fn of_cash(cash: Amount) -> Self {
        Self { cash, ..Self::default() }
    }

    /// Sets tips.
    #[must_use]
    pub fn with_tips(mut self, tips: Amount) -> Self {
        self.tips = tips;
        self
    }

    /// Sets an item.
    #[must_use]
    pub fn with_item(mut self, item: Item, amount: Amount) -> Self {
        self.items[item as usize] = amount;
        self
    }

    /// Adds to an item. `None` on overflow.
    #[must_use]
    pub fn plus(mut self, item: Item, amount: Amount) -> Option<Self> {
        let held = &mut self.items[item as usize];
        *held = held.checked_add(amount)?;
        Some(self)
    }

    /// Returns an item.
    pub fn item(&self, item: Item) -> Amount {
        self.items[item as usize]
    }
}

/// How each item counts in one base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Treatments([Treatment; ITEMS]);

impl Treatments {
    /// Returns how an item counts.
    pub fn treatment_of_item(&self, item: Item) -> Treatment {
        self.0[item as usize]
    }

    /// Returns these treatments, with those of another base for chosen items that are unknown.
    fn or_chosen(mut self, other: Self, chosen: impl Fn(Item) -> bool) -> Self {
        for item in Item::ALL.iter().copied().filter(|item| chosen(*item)) {
            if self.treatment_of_item(item) == Treatment::NotRead {
                self.0[item as usize] = other.treatment_of_item(item);
            }
        }
        self
    }
}

/// The doubt in a base: the worst confidence, the sources, and how the items would count.
pub(super) type Doubt = (Confidence, String, Vec<(Item, Treatment)>);

/// How each item counts in each base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseTable {
    rows: Vec<BaseRow>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct BaseRow {
    base: Base,
    item: Item,
    treatment: Treatment,
    confidence: Confidence,
    source: String,
}

impl Undated for BaseTable {
    const FILE: &'static str = include_str!("../../../../data/taxes/tax_bases.csv");
    const KEY: &'static [&'static str] = &["base", "item"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Ok(Self::parse(csv)?)
    }
}

impl BaseTable {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `tax_bases.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field; two rows for one item of a base are an error.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut seen: Vec<(Base, Item)> = Vec::new();
        let columns = ["base", "item", "treatment", "confidence", "source"];
        let rows = read::read_rows(csv, &columns, |row| {
            let (base, item) = (row.one_of("base")?, row.one_of("item")?);
            if seen.contains(&(base, item)) {
                row.record_fault("item", "this item of the base has a row already");
            }
            seen.push((base, item));
            let source = row.required_text("source");
            Some(BaseRow {
                base,
                item,
                treatment: row.one_of("treatment")?,
                confidence: row.one_of("confidence")?,
                source,
            })
        })?;
        Ok(Self { rows })
    }

    /// Returns how each item counts in a base. Rows from memory or in doubt count only if `confirmed`.
    pub fn treatments(&self, base: Base, confirmed: bool) -> Treatments {
        let mut all = Treatments::default();
        for row in self.rows.iter().filter(|row| row.base == base) {
            if confirmed || row.confidence.is_enough() {
                all.0[row.item as usize] = row.treatment;
            }
        }
        if !self.rows.iter().any(|row| row.base == base && row.item == Item::OtherDeferral) {
            all.0[Item::OtherDeferral as usize] = all.treatment_of_item(Item::Deferral);
        }
        all
    }

    /// Returns how each item counts in the wages of a program or a place. Items from memory or in doubt count as for federal
    /// unemployment tax unless `confirmed`: a tax is due on the rest of the pay in any case.
    pub(super) fn of_programme(&self, base: Base, confirmed: bool) -> Treatments {
        let federal = self.treatments(Base::Futa, true);
        self.treatments(base, confirmed).or_chosen(federal, |item| !item.follows_social_security())
    }

    /// Returns the items of a base that count as for federal unemployment tax until confirmed, and differently afterward.
    pub fn in_doubt(&self, base: Base) -> Vec<Item> {
        let known = self.treatments(base, false);
        let (held, federal) = (self.treatments(base, true), self.treatments(Base::Futa, true));
        // The first two are the wages of the state's income tax, and the last two follow federal law.
        if matches!(base, Base::StateWages | Base::StateTaxable | Base::FederalIncome | Base::Futa) {
            return Vec::new();
        }
        let doubtful = Item::ALL.iter().copied().filter(|item| !item.follows_social_security());
        doubtful
            .filter(|item| {
                known.treatment_of_item(*item) == Treatment::NotRead
                    && held.treatment_of_item(*item) != federal.treatment_of_item(*item)
            })
            .collect()
    }

    /// Returns the worst confidence, the sources and the rows of a base that are from memory or in doubt.
    pub(super) fn doubt_of(&self, base: Base) -> Option<Doubt> {
        let rows = self.rows.iter().filter(|row| row.base == base && !row.confidence.is_enough());
        let rows: Vec<&BaseRow> = rows.collect();
        let worst = rows.iter().map(|row| row.confidence).max()?;
        let mut sources: Vec<&str> = rows.iter().map(|row| row.source.as_str()).collect();
        sources.dedup();
        Some((worst, sources.join("; "), rows.iter().map(|row| (row.item, row.treatment)).collect()))
    }

    /// Returns how each item counts in the wages of a state's income tax, if they differ from the federal wages; `None` for a
    /// state that follows them. Items from memory or in doubt count as they do federally unless `confirmed`.
    pub fn of_state_income(&self, state: &str, confirmed: bool) -> Option<Treatments> {
        let federal = self.treatments(Base::FederalIncome, true);
        Some(self.treatments(income_base(state)?, confirmed).or_chosen(federal, |_| true))
    }

    /// Returns the items of a state's income tax whose treatment is from memory or in doubt and differs from the federal one,
    /// with how they would count.
    pub fn doubtful_of_state_income(&self, state: &str) -> Vec<(Item, Treatment)> {
        let Some(base) = income_base(state) else { return Vec::new() };
        let federal = self.treatments(Base::FederalIncome, true);
        let rows = self.rows.iter().filter(|row| row.base == base && !row.confidence.is_enough());
        let differ = rows.filter(|row| row.treatment != federal.treatment_of_item(row.item));
        differ.map(|row| (row.item, row.treatment)).collect()
    }

    /// Returns the worst confidence and the sources of those items.
    pub(super) fn doubt_of_state_income(&self, state: &str) -> Option<(Confidence, String)> {
        let (base, items) = (income_base(state)?, self.doubtful_of_state_income(state));
        let in_doubt = |row: &&BaseRow| row.base == base && items.iter().any(|(item, _)| *item == row.item);
        let rows: Vec<&BaseRow> = self.rows.iter().filter(in_doubt).collect();
        let worst = rows.iter().map(|row| row.confidence).max()?;
        let mut sources: Vec<&str> = rows.iter().map(|row| row.source.as_str()).collect();
        sources.dedup();
        Some((worst, sources.join("; ")))
    }
}

/// States whose income tax has a base of wages that differs from the federal one.
pub(super) const OWN_WAGES: [&str; 3] = ["CA", "NJ", "PA"];

/// Returns the base of a state's income tax, if it differs from the federal one.
fn income_base(state: &str) -> Option<Base> {
    match state {
        "CA" => Some(Base::CaliforniaIncome),
        "NJ" => Some(Base::NewJerseyIncome),
        "PA" => Some(Base::Pennsylvania),
        _ => None,
    }
}

/// Returns the key under which an operator confirms a state's wages that are in doubt.
pub fn wages_key(state: &str) -> String {
    format!("{state}_WAGES")
}

/// Bases of programs and places, beside those of states' income taxes ([`OWN_WAGES`]), that may be in doubt, with the key
/// under which an operator confirms each and a description for people.
pub(super) const PROGRAMMES: [(Base, &str, &str); 4] = [
    (Base::Gross, "GROSS_WAGES", "Programmes and places that tax all pay: which benefits count as wages"),
    (
        Base::Section125,
        "SECTION125_WAGES",
        "Programmes that tax all pay but what goes through a cafeteria plan: which benefits count as wages",
    ),
    (Base::OhioMunicipal, "OHIO_MUNICIPAL_WAGES", "Cities of Ohio: which benefits count as wages"),
    (
        Base::KentuckyLocal,
        "KENTUCKY_LOCAL_WAGES",
        "Cities and counties of Kentucky: which benefits count as wages",
    ),
];

impl Base {
    /// Returns the key under which an operator confirms what is in doubt in the base; `None` if there is nothing to confirm.
    pub fn wages_key(self) -> Option<String> {
        match self {
            Self::CaliforniaIncome => Some(wages_key("CA")),
            Self::NewJerseyIncome => Some(wages_key("NJ")),
            Self::Pennsylvania => Some(wages_key("PA")),
            _ => {
                let found = PROGRAMMES.iter().find(|(base, ..)| *base == self);
                found.map(|(_, key, _)| (*key).to_owned())
            }
        }
    }

    /// Whether a key confirms what counts as wages for programs or places, rather than for one state's income tax.
    pub fn is_wages_key(key: &str) -> bool {
        PROGRAMMES.iter().any(|(_, known, _)| *known == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_401k_leaves_federal_income_but_neither_unemployment_nor_ohio_cities_nor_kentucky() {
        let table = BaseTable::built_in();
        let treatment = |base| table.treatments(base, true).treatment_of_item(Item::Deferral);
        assert_eq!(treatment(Base::FederalIncome), Treatment::Out);
        for base in [Base::Futa, Base::OhioMunicipal, Base::KentuckyLocal, Base::Pennsylvania] {
            assert_eq!(treatment(base), Treatment::In, "{base:?}");
        }
        let health = |base| table.treatments(base, true).treatment_of_item(Item::Section125Health);
        assert_eq!(health(Base::NewJerseyIncome), Treatment::In);
        assert_eq!(health(Base::OhioMunicipal), Treatment::Out);
        assert_eq!(
            table.treatments(Base::CaliforniaIncome, true).treatment_of_item(Item::Hsa),
            Treatment::In
        );
    }

    #[test]
    fn what_is_in_doubt_counts_as_for_federal_unemployment_tax_until_it_is_confirmed() {
        let table = BaseTable::built_in();
        for (base, item, confirmed) in [
            (Base::Gross, Item::GroupTermLife, Treatment::In),
            (Base::Section125, Item::Commuter, Treatment::In),
            (Base::KentuckyLocal, Item::Commuter, Treatment::In),
        ] {
            assert!(table.in_doubt(base).contains(&item), "{base:?} {item:?}");
            assert_eq!(
                table.of_programme(base, false).treatment_of_item(item),
                Treatment::Out,
                "{base:?} {item:?}"
            );
            assert_eq!(
                table.of_programme(base, true).treatment_of_item(item),
                confirmed,
                "{base:?} {item:?}"
            );
            assert!(base.wages_key().is_some(), "{base:?}");
        }
        assert_eq!(
            table.of_programme(Base::NotRead, false).treatment_of_item(Item::Section125Health),
            Treatment::Out
        );
        for sure in [Base::FederalIncome, Base::OhioMunicipal] {
            assert!(table.in_doubt(sure).is_empty(), "{sure:?}");
        }
        assert_eq!(
            table.of_programme(Base::OhioMunicipal, false).treatment_of_item(Item::GroupTermLife),
            Treatment::In
        );
    }

    #[test]
    fn what_is_from_memory_is_not_read_until_it_is_confirmed() {
        let table = BaseTable::built_in();
        let california = table.treatments(Base::CaliforniaIncome, false);
        assert_eq!(california.treatment_of_item(Item::GroupTermLife), Treatment::NotRead);
        assert_eq!(california.treatment_of_item(Item::Commuter), Treatment::Out);
        assert_eq!(california.treatment_of_item(Item::Hsa), Treatment::In);
        assert_eq!(table.treatments(Base::NotRead, true).treatment_of_item(Item::Hsa), Treatment::NotRead);
    }

    /// Whether each item counts as wages in each base once everything is confirmed: `+` counts, `-` does not.
    #[test]
    fn the_matrix_of_bases_and_items_is_that_of_the_law() {
        use Base::{
            CaliforniaIncome, FederalIncome, Futa, KentuckyLocal, NewJerseyIncome, OhioMunicipal,
            Pennsylvania,
        };
        // Health plans, health FSA, dependent care, HSA, 401(k), other deferrals, commuter, group-term life, shareholders',
        // the company's contributions to an HSA.
        for (base, expected) in [
            (FederalIncome, "--------+-"),
            (Futa, "----++----"),
            (NewJerseyIncome, "++++-+++++"),
            (CaliforniaIncome, "---+----++"),
            (Pennsylvania, "----+++-??"),
            (OhioMunicipal, "----++-+-?"),
            (KentuckyLocal, "+++++++++?"),
        ] {
            let all = BaseTable::built_in().treatments(base, true);
            let found: String = Item::ALL
                .iter()
                .map(|item| match all.treatment_of_item(*item) {
                    Treatment::In => '+',
                    Treatment::Out => '-',
                    Treatment::NotRead => '?',
                })
                .collect();
            assert_eq!(found, expected, "{base:?}");
        }
    }

    #[test]
    fn until_it_is_confirmed_what_is_in_doubt_counts_as_in_the_federal_wages() {
        let table = BaseTable::built_in();
        let of = |state, confirmed| table.of_state_income(state, confirmed).unwrap();
        assert_eq!(of("NJ", false).treatment_of_item(Item::Section125Health), Treatment::In);
        assert_eq!(of("NJ", false).treatment_of_item(Item::Commuter), Treatment::In);
        assert_eq!(of("NJ", false).treatment_of_item(Item::GroupTermLife), Treatment::Out);
        assert_eq!(of("NJ", true).treatment_of_item(Item::GroupTermLife), Treatment::In);
        assert_eq!(of("CA", false).treatment_of_item(Item::Deferral), Treatment::Out);
        assert_eq!(table.of_state_income("NY", true), None);
        let open: Vec<Item> =
            table.doubtful_of_state_income("NJ").into_iter().map(|(item, _)| item).collect();
        assert_eq!(open, [Item::GroupTermLife]);
        assert_eq!(table.doubtful_of_state_income("CA"), []);
    }

    #[test]
    fn a_fault_names_line_and_field() {
        let faults = BaseTable::parse(
            "base,item,treatment,confidence,source\ngross,hsa,in,primary,law\ngross,hsa,off,primary,law\n",
        )
        .unwrap_err();
        let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "line 3, item: this item of the base has a row already",
                "line 3, treatment: \"off\" must be one of in, out, not_read",
            ]
        );
    }
}
