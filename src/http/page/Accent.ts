/** Colours of pages that go with that of the instance, whichever it is: text keeps the contrast that WCAG 2.2 asks for. */
import { createRequire } from "node:module"
import { Effect } from "effect"
import { generalDefaults } from "../../domain/settings/GeneralSetting.ts"

/** What is behind text, in light and in dark surroundings. */
export const backgrounds = { light: "#ffffff", dark: "#1b1f1d" } as const

/** The least contrast of text with what is behind it (WCAG 2.2, 1.4.3). */
export const leastContrast = 4.5

/** All of them as `#rrggbb`. */
export interface Accent {
  /** What is filled with the colour of the instance, and the text on it. */
  readonly fill: string
  readonly onFill: string
  /** The same hue, as far from each background as text has to be. */
  readonly light: string
  readonly dark: string
}

type Colours = typeof import("culori")
type Channels = readonly [red: number, green: number, blue: number]

const black: Channels = [0, 0, 0]
const white: Channels = [1, 1, 1]

/** What a channel that is missing, or beyond what screens show, becomes. */
const shown = (value: number | undefined) => Math.min(1, Math.max(0, value ?? 0))

const mixed = (one: Channels, other: Channels, share: number): Channels => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share
]

const steps = Array.from({ length: 21 }, (_, step) => step / 20)

const accentBy =
  ({ converter, formatHex, wcagContrast }: Colours) =>
  (text: string): Accent | undefined => {
    const toRgb = converter("rgb")
    const colour = toRgb(text)
    if (colour === undefined) return undefined
    const hex = ([r, g, b]: Channels) => formatHex({ mode: "rgb", r, g, b })
    // What can be seen through the colour is white.
    const channels = mixed(
      white,
      [shown(colour.r), shown(colour.g), shown(colour.b)],
      shown(colour.alpha ?? 1)
    )
    const fill = hex(channels)
    const readableOn = (background: string, towards: Channels) =>
      steps
        .map((share) => hex(mixed(channels, towards, share)))
        .find((one) => wcagContrast(one, background) >= leastContrast) ?? hex(towards)
    return {
      fill,
      onFill: wcagContrast(fill, hex(white)) >= wcagContrast(fill, hex(black)) ? hex(white) : hex(black),
      light: readableOn(backgrounds.light, black),
      dark: readableOn(backgrounds.dark, white)
    }
  }

// One file, which takes a fifth of the time that the many modules take.
const load = (): Colours => createRequire(import.meta.url)("culori")

/** Makes a function from the colour of an instance to those of its pages. What reads colours is loaded when first asked. */
export const makeAccents = Effect.map(
  Effect.cached(Effect.sync(load)),
  (library) => (text: string) =>
    Effect.map(library, (colours): Accent => {
      const accentOf = accentBy(colours)
      const usual = { fill: "#000000", onFill: "#ffffff", light: "#000000", dark: "#ffffff" }
      return accentOf(text) ?? accentOf(generalDefaults.accent_colour) ?? usual
    })
)
