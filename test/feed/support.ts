/** Reading feeds with parsers that others wrote. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { parseAtomFeed, parseJsonFeed, parseRssFeed } from "feedsmith"
import { SaxesParser } from "saxes"
import type { Answer } from "../support/answers.ts"
import { guest } from "../support/people.ts"

export const formats = ["atom", "rss", "json"] as const
export type Format = (typeof formats)[number]

/** What all formats say of an entry. */
export interface ParsedEntry {
  readonly id: string | undefined
  readonly title: string | undefined
  readonly address: string | undefined
  readonly content: string | undefined
  readonly summary: string | undefined
  readonly author: string | undefined
}

/** Fails unless a text is a well-formed document of XML 1.0. */
export const checkXml = (text: string) => {
  const parser = new SaxesParser({ xmlns: true })
  parser.on("error", (error) => assert.fail(`${error.message} in ${text.slice(0, 2000)}`))
  parser.write(text).close()
}

const parsers = {
  atom: (text: string) => {
    checkXml(text)
    const feed = parseAtomFeed(text)
    return {
      title: feed.title?.value,
      entries: (feed.entries ?? []).map(
        (entry): ParsedEntry => ({
          id: entry.id,
          title: entry.title?.value,
          address: entry.links?.find(({ rel }) => rel === "alternate")?.href,
          content: entry.content?.value,
          summary: entry.summary?.value,
          author: entry.authors?.[0]?.name
        })
      )
    }
  },
  rss: (text: string) => {
    checkXml(text)
    const feed = parseRssFeed(text)
    return {
      title: feed.title,
      entries: (feed.items ?? []).map(
        (item): ParsedEntry => ({
          id: item.guid?.value,
          title: item.title,
          address: item.link,
          content: item.content?.encoded,
          summary: item.description,
          author: item.dc?.creators?.[0]
        })
      )
    }
  },
  json: (text: string) => {
    const feed = parseJsonFeed(JSON.parse(text))
    return {
      title: feed.title,
      entries: (feed.items ?? []).map(
        (item): ParsedEntry => ({
          id: item.id,
          title: item.title,
          address: item.url,
          content: item.content_html,
          summary: item.summary,
          author: item.authors?.[0]?.name
        })
      )
    }
  }
}

/** What a parser finds in an answer. */
export const parsed = (format: Format, answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  return parsers[format](answer.text)
}

/** Reads a feed as a guest. */
export const read = (format: Format, path: string, query = "") =>
  Effect.map(guest.get(`${path}.${format}${query}`), (answer) => parsed(format, answer))

/** The titles that every format of a feed has, which are the same in all. */
export const titles = Effect.fnUntraced(function* (path: string, query = "") {
  const found = yield* Effect.forEach(formats, (format) => read(format, path, query))
  const [first = [], ...others] = found.map(({ entries }) => entries.map(({ title }) => title ?? ""))
  for (const other of others) assert.deepStrictEqual(other, first)
  return first
})
