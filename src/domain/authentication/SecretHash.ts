/**
 * The hashes of client secrets that administrators bring along, in PHC string format. The service computes such a hash
 * again whenever the client signs in, so that what it costs has bounds. Pure.
 */

/** Characters of a hash. */
export const secretHashMax = 200

/** What a hash may cost: the second recommendation of RFC 9106 is within it (64 MiB, 3 passes, 4 lanes). */
export const secretHashCosts = {
  /** Kibibytes. */
  memory: 65_536,
  passes: 10,
  lanes: 4,
  /** Kibibytes, times passes: what decides on how long it takes. */
  work: 4 * 65_536
}

const number = "([1-9]\\d{0,9})"
const data = "([A-Za-z0-9+/]+)"
const form = new RegExp(`^\\$argon2id\\$v=19\\$m=${number},t=${number},p=${number}\\$${data}\\$${data}$`)

/** How many bytes an unpadded text in Base64 stands for; none for a length that no text has. */
const bytesOf = (text: string): number => (text.length % 4 === 1 ? 0 : Math.floor((text.length * 3) / 4))

const isBetween = (value: number, least: number, most: number): boolean => value >= least && value <= most

/** Whether a text is a hash by Argon2id, version 19, whose costs, salt and length are within bounds. */
export const isSecretHash = (text: string): boolean => {
  if (text.length > secretHashMax) return false
  const [, m, t, p, salt = "", key = ""] = form.exec(text) ?? []
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
  return (
    isBetween(lanes, 1, secretHashCosts.lanes) &&
    // The least that Argon2 is defined for.
    isBetween(memory, 8 * lanes, secretHashCosts.memory) &&
    isBetween(passes, 1, secretHashCosts.passes) &&
    memory * passes <= secretHashCosts.work &&
    isBetween(bytesOf(salt), 8, 48) &&
    isBetween(bytesOf(key), 16, 64)
  )
}
