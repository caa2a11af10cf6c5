/** Files of themes, and what is expected of them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { upload } from "../support/files.ts"
import type { Person } from "../support/people.ts"

export const utf8 = (text: string) => new TextEncoder().encode(text)

export const integrityOf = (bytes: Uint8Array) =>
  `sha384-${createHash("sha384").update(bytes).digest("base64")}`

/** Uploads a file, and answers it as a theme should show it. */
export const themeFile = Effect.fnUntraced(function* (person: Person, filename: string, text: string) {
  const bytes = utf8(text)
  const { id, path } = yield* upload(person, bytes, { filename })
  const mime_type = filename.endsWith("css") ? "text/css" : "text/javascript"
  return { id, filename, path, mime_type, size: bytes.length, integrity: integrityOf(bytes) }
})

/** Replaces the theme, which has to succeed. */
export const setTheme = (
  person: Person,
  stylesheets: ReadonlyArray<string>,
  scripts: ReadonlyArray<string> = []
) => Effect.map(person.put("/admin/theme", { stylesheets, scripts }), ok)
