/** A place in the log of the database (`pg_lsn`), as a number. */
export type Place = bigint

/** Reads one as PostgreSQL writes it: two hexadecimal numbers, the upper half first. */
export const placeOf = (text: unknown): Place => {
  const [high = "", low = ""] = String(text).split("/")
  return (BigInt(`0x${high || 0}`) << 32n) | BigInt(`0x${low || 0}`)
}
