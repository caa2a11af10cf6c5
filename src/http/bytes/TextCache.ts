import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { encoded, type Template } from "./Template.ts"

/** How much memory the texts of pages may take, in bytes; 0 keeps none. */
export class TextCacheSize extends Context.Service<TextCacheSize, number>()("forum/http/TextCacheSize") {}

interface Entry {
  readonly version: string
  /** When it was kept, in milliseconds of `performance.now`. */
  readonly at: number
  readonly template: Template<Uint8Array>
}

// About what an entry and a slot take besides the bytes.
const entrySize = 300
const slotSize = 100

/**
 * Texts that are the same for all viewers, by the resource and its version; the least recently used go
 * first. It never decides whether something may be shown, or is still current: its users have read the
 * version, and the rights of the viewer, from the database.
 */
export class TextCache extends Context.Service<
  TextCache,
  {
    /**
     * The text of a version; for a reader who has written since a time and not yet committed, only one that was kept
     * before: others may know by this version something else than the reader.
     */
    readonly get: (key: string, version: string, since?: number) => Template | undefined
    /** Keeps a template, and answers it as it is kept. */
    readonly keep: (key: string, version: string, template: Template<string>) => Template
  }
>()("forum/http/TextCache") {
  static readonly layer = Layer.effect(
    TextCache,
    Effect.map(TextCacheSize, (bytes) => {
      if (bytes === 0)
        return TextCache.of({ get: () => undefined, keep: (_key, _version, template) => template })
      const entries = new LRUCache<string, Entry>({
        maxSize: bytes,
        sizeCalculation: ({ template }, key) =>
          entrySize + key.length + template.content.length + slotSize * template.slots.length
      })
      return TextCache.of({
        get: (key, version, since = Number.POSITIVE_INFINITY) => {
          const entry = entries.get(key)
          return entry?.version === version && entry.at < since ? entry.template : undefined
        },
        keep: (key, version, written) => {
          const template = encoded(written)
          entries.set(key, { version, at: performance.now(), template })
          return template
        }
      })
    })
  )
}
