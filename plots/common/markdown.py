"""Tables in Markdown, as the report reads them."""


def table(title, header, rows, *notes):
    """Lines. notes: paragraphs below it."""
    return [f"### {title}", "", f"| {' | '.join(header)} |", "|" + "---|" * len(header),
            *(f"| {' | '.join(map(str, row))} |" for row in rows), "", *(line for note in notes for line in (note, ""))]
