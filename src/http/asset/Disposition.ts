/** What a browser does with a file, and the name that it gives to it (RFC 6266). Pure. */

// What a browser can show and not run. PDF is not shown under the policy that files are sent with.
const shown = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain\b)/

// What a value in quotes may contain and no program takes for something else.
const fallback = (name: string) => name.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\%]/g, "_")

const encoded = (name: string) =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

export const dispositionOf = (mimeType: string, name: string): string => {
  const plain = fallback(name)
  const kind = shown.test(mimeType) ? "inline" : "attachment"
  const extended = plain === name ? "" : `; filename*=UTF-8''${encoded(name)}`
  return `${kind}; filename="${plain}"${extended}`
}
