/** The stylesheets and scripts that an instance adds to its pages. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { AssetId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { theme, themeChange } from "./ThemeExamples.ts"

/** How many files each list of a theme may have, and how many bytes each of them. */
export const themeLimits = { files: 32, bytes: 1024 * 1024 }

export const ThemeList = Schema.Literals(["stylesheets", "scripts"])
export type ThemeList = typeof ThemeList.Type

export const ThemeAsset = Schema.Struct({
  id: AssetId,
  filename: Schema.String.annotate({ description: "The name that the file was uploaded under" }),
  path: Schema.String.annotate({ description: "Where its bytes are, below the address of the service" }),
  mime_type: Schema.String.annotate({ description: "The type that the bytes are sent with" }),
  size: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description: "In bytes" }),
  integrity: Schema.String.annotate({
    description: "The SHA-384 of the bytes, for the attribute `integrity` of the element that loads them"
  })
})
  .annotate({ identifier: "ThemeAsset", description: "A file of the theme. Its bytes never change." })
  .pipe(withExample(theme.stylesheets[0]))
export interface ThemeAsset extends Schema.Schema.Type<typeof ThemeAsset> {}

const files = (description: string) => Schema.Array(ThemeAsset).annotate({ description })

export const Theme = Schema.Struct({
  stylesheets: files("In the order in which pages load them"),
  scripts: files("In the order in which pages load them")
})
  .annotate({
    identifier: "Theme",
    description: "The stylesheets and scripts that the instance adds to its pages; none, if it has no theme"
  })
  .pipe(withExample(theme))
export interface Theme extends Schema.Schema.Type<typeof Theme> {}

// Any text: what is no id is reported together with the ids that no file has.
const Ids = (description: string) =>
  Schema.Array(Text.verbatim({ max: 255, description: "The id of an uploaded file" }))
    .check(Schema.isMaxLength(themeLimits.files))
    .annotate({ description })

export const ThemeChange = Schema.Struct({
  stylesheets: Ids("Files with names that end in `.css`, in the order in which pages load them"),
  scripts: Ids("Files with names that end in `.js` or `.mjs`, in the order in which pages load them")
})
  .annotate({
    identifier: "ThemeMutableProps",
    description:
      "The whole theme: it replaces the one before. A file that is named several times in a list counts once, in its first place; two empty lists take the theme away."
  })
  .pipe(withExample(themeChange))
export interface ThemeChange extends Schema.Schema.Type<typeof ThemeChange> {}

export class ThemeAssetsUnknown extends Problem<ThemeAssetsUnknown>()("ThemeAssetsUnknown", {
  status: 400,
  title: "Some files of the theme do not exist",
  explanation:
    "No uploaded file has these ids, or its bytes are lost. Upload the files with `POST /api/assets` first. The theme stays as it was.",
  metadata: { asset_ids: Schema.Array(Schema.String) }
}) {}

export class ThemeAssetsUnsuitable extends Problem<ThemeAssetsUnsuitable>()("ThemeAssetsUnsuitable", {
  status: 400,
  title: "Some files cannot be part of a theme",
  explanation: `Stylesheets have names that end in \`.css\`, scripts in \`.js\` or \`.mjs\`; they contain text, at least one byte and at most ${themeLimits.bytes.toLocaleString("en")}. \`refused\` says what is wrong with each: it is of another \`type\`, it is \`empty\`, or it is \`too_large\`. The theme stays as it was.`,
  metadata: {
    asset_ids: Schema.Array(Schema.String),
    refused: Schema.Array(
      Schema.Struct({
        asset_id: Schema.String,
        list: ThemeList,
        reason: Schema.Literals(["type", "empty", "too_large"])
      })
    )
  }
}) {}
