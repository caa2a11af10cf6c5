/** All changes that others are told of, and their names. */
import { Schema } from "effect"
import * as Declared from "./Change.ts"

const declared = Object.values(Declared)

/** Something that others are told of, with exactly what they are told. */
export const Change = Schema.Union(declared).annotate({
  identifier: "Change",
  description: "Something that happened, by the name in `event`"
})
export type Change = typeof Change.Type

export type ChangeName = Change["event"]

/** The names of all changes, in the order in which they are declared. */
export const changeNames: ReadonlyArray<ChangeName> = declared.map(({ fields }) => fields.event.literal)

export const ChangeName = Schema.Literals(changeNames).annotate({
  identifier: "ChangeName",
  description: "The name of something that others are told of"
})
