import { Schema } from "effect"
import * as Text from "../field/Text.ts"
import { slugify } from "../shared/Slug.ts"

/** A tag as it is shown on tagged content. */
export const TagReference = Schema.Struct({
  name: Schema.String.annotate({ description: "Lower case, with hyphens between words" }),
  colour: Schema.String.annotate({ description: "Always the same for one name" }),
  item_count: Schema.Int.annotate({ description: "The number of published threads and pages with this tag" })
}).annotate({
  identifier: "TagReference",
  description: "A tag as it is shown on tagged content"
})
export interface TagReference extends Schema.Schema.Type<typeof TagReference> {}

const nameLength = 30

/** The name of a tag as a client sends it; it is stored as its slug, which may be longer. */
export const TagName = Text.line({ max: nameLength, description: "The name of a tag" }).check(
  Schema.makeFilter((name) => Text.hasAtMost(slugify(name), nameLength), {
    expected: `a name whose slug has at most ${nameLength} characters`
  })
)

/** How many tags a thread or node may have: lists show fifty of these with theirs. */
export const tagsMax = 50

/** Tag names as a client sends them; each is stored as its slug. */
export const TagNames = Schema.Array(TagName)
  .check(Schema.isMaxLength(tagsMax))
  .annotate({ description: `Tag names, at most ${tagsMax}. A tag is created when it is first used.` })

const hex = (part: number) =>
  Math.round(part * 255)
    .toString(16)
    .padStart(2, "0")

const pastelOf = (hue: number) => {
  const [saturation, lightness] = [0.45, 0.72]
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12
    return lightness - saturation * (1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
  }
  return `#${hex(channel(0))}${hex(channel(8))}${hex(channel(4))}`
}

const pastels = Array.from({ length: 360 }, (_, hue) => pastelOf(hue))

const encoder = new TextEncoder()

/** A pastel whose hue is drawn from the name: `#rrggbb`, the same for ever. */
export const tagColour = (name: string): string => {
  let hash = 2166136261
  for (const unit of encoder.encode(name)) hash = Math.imul(hash ^ unit, 16777619) >>> 0
  return pastels[hash % pastels.length] ?? ""
}
