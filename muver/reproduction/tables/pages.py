"""What people read of each kind of result: the one source of all formats and of both pages."""

from muver.reproduction.tables import (
    comparison,
    domains,
    lengths,
    parameters,
    records,
    statistics,
    trials,
    views,
)
from muver.reproduction.tables.page import Page

PAGES = {
    records.ComparisonTable: comparison.page,
    records.ViewsTable: views.page,
    records.DomainsTable: domains.page,
    records.StatisticsTable: statistics.page,
    records.ParametersTable: parameters.page,
    records.LengthsFigure: lengths.page,
    records.GridResult: trials.page,
}


def page_of(result: records.AnyResult) -> Page:
    """The content of a result's page."""
    return PAGES[type(result)](result)
