import { assert, describe, it } from "@effect/vitest"
import { wcagContrast } from "culori"
import { Effect } from "effect"
import * as fc from "fast-check"
import { backgrounds, leastContrast, makeAccents } from "../../../src/http/page/Accent.ts"
import { stylesheet } from "../../../src/http/page/Stylesheet.ts"

/** The least contrast of what is no text but shows where something is (WCAG 2.2, 1.4.11). */
const leastOfEdges = 3

const checkAccent = Effect.fnUntraced(function* (colour: string) {
  const accentOf = yield* makeAccents
  const { dark, fill, light, onFill } = yield* accentOf(colour)
  for (const one of [dark, fill, light, onFill]) assert.match(one, /^#[0-9a-f]{6}$/, colour)
  assert.isAtLeast(wcagContrast(fill, onFill), leastContrast, colour)
  assert.isAtLeast(wcagContrast(light, backgrounds.light), leastContrast, colour)
  assert.isAtLeast(wcagContrast(dark, backgrounds.dark), leastContrast, colour)
  return { dark, fill, light, onFill }
})

describe("the colours of pages", () => {
  it.effect("can be read with any colour of the instance", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) =>
          Effect.runPromise(Effect.asVoid(checkAccent(`#${number.toString(16).padStart(6, "0")}`)))
        ),
        { seed: 1, numRuns: 300 }
      )
    )
  )

  it.effect("follow every form in which a colour may be written", () =>
    Effect.gen(function* () {
      const forms = [
        ["#fff", "#ffffff"],
        ["#000", "#000000"],
        ["Teal", "#008080"],
        ["rebeccapurple", "#663399"],
        ["rgb(255 0 0 / 50%)", "#ff8080"],
        ["rgba(0,0,0,0)", "#ffffff"],
        ["transparent", "#ffffff"],
        ["hsl(120deg 100% 25%)", "#008000"],
        ["hwb(0 0% 0%)", "#ff0000"],
        ["rgb(none 255 none)", "#00ff00"]
      ]
      for (const [written = "", fill] of forms) {
        assert.strictEqual((yield* checkAccent(written)).fill, fill, written)
      }
      for (const written of [
        "lab(50% 40 59.5)",
        "lch(52.2% 72.2 50)",
        "oklab(59% 0.1 0.1)",
        "oklch(60% 0.4 140)",
        "color(display-p3 0 1 0)",
        "color(xyz-d50 1 2 3)",
        "color(prophoto-rgb -1 2 0)",
        "hsl(none none none / none)"
      ]) {
        yield* checkAccent(written)
      }
    })
  )

  it.effect("are the usual ones where there is no colour", () =>
    Effect.gen(function* () {
      for (const written of ["", "nothing", "url(x)", "#12", "</style>"]) {
        assert.strictEqual((yield* checkAccent(written)).fill, "#2f6f5e", written)
      }
    })
  )

  it.effect("contrast with each other wherever they meet", () =>
    Effect.gen(function* () {
      const accentOf = yield* makeAccents
      const css = String(stylesheet(yield* accentOf("#2f6f5e")))
      const [light = "", dark = ""] = css.split("prefers-color-scheme:dark")
      const read = (part: string, name: string) =>
        new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(part)?.[1] ?? assert.fail(`There is no ${name}`)
      for (const part of [light, dark]) {
        const colour = (name: string) => read(part, name)
        for (const [front, back] of [
          ["text", "card"],
          ["text", "ground"],
          ["quiet", "card"],
          ["quiet", "ground"],
          ["text", "bad-ground"],
          ["accent", "card"]
        ] as const) {
          assert.isAtLeast(wcagContrast(colour(front), colour(back)), leastContrast, `${front} on ${back}`)
        }
        for (const edge of ["edge", "bad", "accent"]) {
          assert.isAtLeast(wcagContrast(colour(edge), colour("card")), leastOfEdges, edge)
        }
      }
    })
  )
})
