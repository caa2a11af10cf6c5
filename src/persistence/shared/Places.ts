/** Pages of lists whose rows take places as `AnswerRoom.ts` says. */
import { room } from "../../domain/answer/AnswerRoom.ts"

/** The places of a row of about this size, as `placesOf` in `AnswerRoom.ts`. */
export const placesOf = (size: string, pageSize: number): string =>
  `greatest(1, least(${pageSize}, ((${size})::bigint * ${pageSize} + ${room - 1}) / ${room}))`

/** How many places all rows before a row take, which is the number of its own first place. */
export const placesBefore = (places: string, order: string): string =>
  `(sum(${places}) over (order by ${order} rows unbounded preceding) - ${places})::int`

/** Beyond this size a row takes more than one place. */
export const lightMax = (pageSize: number): number => Math.floor(room / pageSize)

/** Of rows that know their first place as `before`: how many places a list has up to the first one of its last row. */
export const totalOf = (rows: string): string => `(select coalesce(max(before) + 1, 0)::int from ${rows})`
