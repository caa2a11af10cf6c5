/** What letters of the service are made of. Pure. */
import type { Mail } from "./Outbox.ts"

export type Letter = Pick<Mail, "subject" | "text" | "html">

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text as HTML, between elements and in attributes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** A document of paragraphs, which are HTML. */
export const documentOf = (...paragraphs: ReadonlyArray<string>): string =>
  `<!doctype html><html><body>${paragraphs.map((text) => `<p>${text}</p>`).join("")}</body></html>`
