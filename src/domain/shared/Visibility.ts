import { Schema } from "effect"

/** Who may see a thread, page or event. */
export const Visibility = Schema.Literals(["draft", "unlisted", "review", "published"]).annotate({
  identifier: "Visibility",
  description:
    "Who may see it: its author while `draft` or `unlisted`, staff as well in `review`, all readers when `published`"
})
export type Visibility = typeof Visibility.Type
