/** Whether a file is text, read while it passes by. */

// No text has these; binary formats have them within their first bytes (WHATWG MIME Sniffing, "binary data byte").
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const binary = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

export interface TextCheck {
  /** Takes the next part of the file, from its beginning. */
  readonly add: (bytes: Uint8Array) => void
  /** Whether all of it was UTF-8 without control characters that no text has. Asked at its end. */
  readonly isText: () => boolean
}

export const makeTextCheck = (): TextCheck => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let isText = true

  const decode = (bytes?: Uint8Array) => {
    try {
      if (binary.test(decoder.decode(bytes, { stream: bytes !== undefined }))) isText = false
    } catch {
      isText = false
    }
  }

  return {
    add: (bytes) => {
      if (isText) decode(bytes)
    },
    isText: () => {
      if (isText) decode()
      return isText
    }
  }
}
