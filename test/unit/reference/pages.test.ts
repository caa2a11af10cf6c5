/** The pages of docs/reference are as the program declares; `npm run reference` writes them again. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pages } from "../../../tools/reference/Pages.ts"

const folder = join(import.meta.dirname, "../../../docs/reference")

describe("the reference", () => {
  it.effect("is as the program declares: `npm run reference` writes it again", ({ expect }) =>
    Effect.gen(function* () {
      for (const [name, text] of Object.entries(yield* pages)) {
        yield* Effect.promise(() => expect(text).toMatchFileSnapshot(join(folder, name)))
      }
    })
  )

  it.effect("has no other pages", () =>
    Effect.gen(function* () {
      assert.sameMembers(readdirSync(folder), Object.keys(yield* pages))
    })
  )

  it.effect("leads to places that are there", () =>
    Effect.gen(function* () {
      const texts = yield* pages
      const placesOf = (text: string) =>
        new Set([
          ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id),
          ...[...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
            heading
              .toLowerCase()
              .replace(/[^\p{L}\p{N}\s_-]/gu, "")
              .replaceAll(" ", "-")
          )
        ])
      const places = new Map(Object.entries(texts).map(([name, text]) => [name, placesOf(text)]))
      const lost = Object.entries(texts).flatMap(([name, text]) =>
        [...text.matchAll(/\]\(([\w-]+\.md)?#([^)]+)\)/g)].flatMap(([link, file = name, place = ""]) =>
          places.get(file)?.has(place) === true ? [] : [`${name}: ${link}`]
        )
      )
      assert.deepStrictEqual([...new Set(lost)], [])
    })
  )
})
