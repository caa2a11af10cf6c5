/** What happens to the theme, for the event log. */
import { Schema } from "effect"

/** The theme was replaced by another one, or taken away. */
export const ThemeReplaced = Schema.TaggedStruct("ThemeReplaced", {})
export type ThemeReplaced = typeof ThemeReplaced.Type
