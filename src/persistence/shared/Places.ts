/** Pages of lists whose rows take places as `AnswerRoom.ts` says. */
import { room } from "../../domain/answer/AnswerRoom.ts"

/** How many places a row of about this size takes, as `placesOf` in `AnswerRoom.ts` says. */
export const placesOf = (size: string, pageSize: number): string =>
  `greatest(1, least(${pageSize}, ((${size})::bigint * ${pageSize} + ${room - 1}) / ${room}))`

/** How many places all rows before a row take, which is the number of its own first place. */
export const placesBefore = (places: string, order: string): string =>
  `(sum(${places}) over (order by ${order} rows unbounded preceding) - ${places})::int`

/** The largest size of a row that takes one place. */
export const lightMax = (pageSize: number): number => Math.floor(room / pageSize)

/**
 * How many places a list has up to the first place of its last row; each of its rows has the number of its first as
 * `before`.
 */
export const totalOf = (rows: string): string => `(select coalesce(max(before) + 1, 0)::int from ${rows})`
