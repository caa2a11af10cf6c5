/**
 * Colours as CSS writes them (CSS Color 4), so that clients may put them into a style as they are: by
 * name, by hexadecimal digits and by functions. What depends on where it stands (`currentcolor`, `var()`,
 * colours of the system) and what is calculated (`calc()`, `color-mix()`) are none of them.
 */
import { Schema } from "effect"
import * as Text from "./Text.ts"

const names = new Set(
  `transparent
  aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown
  burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan
  darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred
  darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink
  deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold
  goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush
  lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey
  lightpink lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow
  lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen
  mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin
  navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise
  palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue
  saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow
  springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen`.split(
    /\s+/
  )
)

const hexadecimal = "#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})"

const number = String.raw`[+-]?(?:\d*\.)?\d+(?:e[+-]?\d+)?`
const percentage = `${number}%`
const share = `${number}%?`
const hue = `${number}(?:deg|grad|rad|turn)?`

const orNone = (part: string): string => `(?:${part}|none)`

/** Parts with commas between, as all browsers know them. */
const legacy = (name: string, parts: ReadonlyArray<string>): string =>
  `${name}a?\\( *${parts.join(" *, *")}(?: *, *${share})? *\\)`

/** Parts with spaces between, any of which may be missing. */
const modern = (name: string, parts: ReadonlyArray<string>): string =>
  `${name}\\( *${parts.map(orNone).join(" +")}(?: */ *${orNone(share)})? *\\)`

const spaces =
  "srgb|srgb-linear|display-p3|display-p3-linear|a98-rgb|prophoto-rgb|rec2020|xyz|xyz-d50|xyz-d65"

const written = new RegExp(
  `^(?:${[
    hexadecimal,
    legacy("rgb", [number, number, number]),
    legacy("rgb", [percentage, percentage, percentage]),
    legacy("hsl", [hue, percentage, percentage]),
    modern("rgba?", [share, share, share]),
    modern("hsla?", [hue, share, share]),
    modern("hwb", [hue, share, share]),
    modern("(?:ok)?lab", [share, share, share]),
    modern("(?:ok)?lch", [share, share, hue]),
    String.raw`color\( *(?:${spaces})(?: +${orNone(share)}){3}(?: */ *${orNone(share)})? *\)`
  ].join("|")})$`,
  "i"
)

/** Whether a text is a colour. Letter case does not matter. */
export const isColour = (text: string): boolean => names.has(text.toLowerCase()) || written.test(text)

const length = 100

const forms =
  "a colour of CSS: a name, #rgb or #rrggbb with or without alpha, rgb(), hsl(), hwb(), lab(), lch(), oklab(), oklch() or color()"

// What patterns can say of it in a line that people read; not that a name is one, nor what is in the brackets.
const shape = String.raw`#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|[A-Za-z]+(\([^()]+\))?`

/** A colour. */
export const colour = Text.line({
  max: length,
  description: "A colour as CSS writes it: #2f6f5e, teal, rgb(), hsl(), oklch() and the like",
  pattern: `^(${shape})$`
}).check(Schema.makeFilter(isColour, { expected: forms }))

/** A colour, or nothing. */
export const colourOrNone = Text.line({
  max: length,
  description: "A colour as CSS writes it: #2f6f5e, teal, rgb(), hsl(), oklch() and the like; or empty",
  pattern: `^(${shape})?$`
}).check(
  Schema.makeFilter((text: string) => text === "" || isColour(text), { expected: `${forms}; or nothing` })
)
