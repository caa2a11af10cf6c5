/** Orders of rows by several columns, each of which goes up or down. */
export type Direction = "asc" | "desc"

/** What rows are ordered by. No two rows are equal in all columns, and no column is null. */
export type RowOrder = ReadonlyArray<readonly [column: string, direction: Direction]>

export const orderText = (order: RowOrder, backwards: boolean): string =>
  order
    .map(([column, direction]) => `${column}${(direction === "desc") === backwards ? "" : " desc"}`)
    .join(", ")

/** The condition that a row comes before another one, whose columns stand in SQL where `placeOf` says. */
export const isBefore = (order: RowOrder, placeOf: (column: number) => string): string =>
  order.reduceRight((rest, [column, direction], index) => {
    const place = placeOf(index)
    const differs = `${column} ${direction === "asc" ? "<" : ">"} ${place}`
    return rest === "" ? differs : `(${differs} or (${column} = ${place} and ${rest}))`
  }, "")
