/** Reads the structure of JSON text without parsing it, for what has to be known before that. */

const [quote, backslash] = [34, 92]

/** The characters that are marks of the structure outside of strings, by their codes. */
export const marks = {
  comma: 44,
  colon: 58,
  openArray: 91,
  closeArray: 93,
  openObject: 123,
  closeObject: 125
} as const

/** Where the last string before a mark begins and ends, at its quotes. */
export interface LastString {
  start: number
  end: number
}

/** Whether the character at this index is escaped by the backslashes before it. */
const isEscaped = (json: string, index: number): boolean => {
  let first = index
  while (json.charCodeAt(first - 1) === backslash) first--
  return (index - first) % 2 === 1
}

/** The index of the quote that ends the string which begins at this one. */
const endOfString = (json: string, start: number): number => {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

const isMark = (code: number): boolean => {
  switch (code) {
    case marks.comma:
    case marks.colon:
    case marks.openArray:
    case marks.closeArray:
    case marks.openObject:
    case marks.closeObject:
      return true
    default:
      return false
  }
}

/** Whether `test` answers true for any mark, of which it is told one after the other. Text that is no JSON may have any. */
export const someMark = (json: string, test: (mark: number, lastString: LastString) => boolean): boolean => {
  const lastString = { start: 0, end: 0 }
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === quote) {
      lastString.start = index
      lastString.end = endOfString(json, index)
      index = lastString.end
    } else if (isMark(code) && test(code, lastString)) return true
  }
  return false
}

export const isOpening = (mark: number): boolean => mark === marks.openArray || mark === marks.openObject
export const isClosing = (mark: number): boolean => mark === marks.closeArray || mark === marks.closeObject

/** Whether arrays and objects are nested deeper than this. */
export const isDeeperThan = (maximum: number, json: string): boolean => {
  let depth = 0
  return someMark(json, (mark) => {
    if (isOpening(mark)) depth++
    else if (isClosing(mark)) depth--
    return depth > maximum
  })
}

/** Whether arrays and objects have more values than this altogether. */
export const hasMoreValuesThan = (maximum: number, json: string): boolean => {
  let values = 1
  return someMark(json, (mark) => {
    if (mark === marks.comma) values++
    return values > maximum
  })
}
