/** The order of siblings, as texts between which there is always room for another one. Pure. */

// In the order of their bytes, which is how the database compares them.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base = digits.length
const highest = base - 1

/** Digits in which the places at both ends are counted: far more than a group has nodes. */
const length = 4

/** The place of the first node of a group. */
const first = "U001"

const digitOf = (text: string, index: number): number =>
  index < text.length ? digits.indexOf(text.charAt(index)) : 0

/** A text of `length` digits as a number, and back. */
const numberOf = (text: string): number => {
  let number = 0
  for (let index = 0; index < length; index++) number = number * base + digitOf(text, index)
  return number
}
const textOf = (number: number): string => {
  let text = ""
  for (let left = number; text.length < length; left = Math.floor(left / base))
    text = digits.charAt(left % base) + text
  return text
}

const isPlace = (number: number) => number > 0 && number < base ** length && number % base !== 0

/** The nearest whole place in a direction, if there is one. */
const counted = (from: string, by: 1 | -1): string | undefined => {
  const next = numberOf(from) + by
  const number = next % base === 0 ? next + by : next
  return isPlace(number) ? textOf(number) : undefined
}

/** A text between two, of which the upper one may be absent; it grows by a digit where the gap is used up. */
const middle = (low: string, high: string | undefined): string => {
  let text = ""
  let isBounded = high !== undefined
  for (let index = 0; ; index++) {
    const from = digitOf(low, index)
    const to = isBounded ? digitOf(high ?? "", index) : base
    if (to - from > 1) return text + digits.charAt(Math.floor((from + to) / 2))
    text += digits.charAt(Math.min(from, highest))
    // Everything that begins with the lower digit sorts before the upper text.
    if (to - from === 1) isBounded = false
  }
}

/**
 * A text that sorts after `low` and before `high`: such texts themselves, or undefined at an end. None ends in the
 * lowest digit, so that there is room before each. In the same gap again and again it grows by a digit in about six
 * times; at the ends it hardly ever grows.
 */
export const between = (low: string | undefined, high: string | undefined): string => {
  if (low === undefined && high === undefined) return first
  if (high === undefined) return counted(low ?? "", 1) ?? middle(low ?? "", undefined)
  if (low === undefined) return counted(high, -1) ?? middle("", high)
  return middle(low, high)
}

/** The place of one of so many siblings that are evenly far from each other; the first is number 1. */
export const evenPlace = (number: number, siblings: number): string => {
  const place = number * Math.floor(base ** length / (siblings + 1))
  return textOf(place % base === 0 ? place + 1 : place)
}

/** Places for so many siblings, evenly far from each other. */
export const evenly = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => evenPlace(index + 1, count))

// In bytes, of which the database stores 255.
const roomyLength = 200

/** Whether a place is short enough to use; otherwise the siblings get new ones. */
export const isRoomy = (place: string): boolean => place.length <= roomyLength
