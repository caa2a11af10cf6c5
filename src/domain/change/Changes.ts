/** All changes that others are told of, and their names. */
import { Schema } from "effect"
import * as Declared from "./Change.ts"

const nameOf = ({ fields }: (typeof Declared)[keyof typeof Declared]) => fields.event.literal

// By name: not everything that loads modules keeps the order in which they declare.
const declared = Object.values(Declared).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))

/** Something that others are told of, with exactly what they are told. */
export const Change = Schema.Union(declared).annotate({
  identifier: "Change",
  description: "Something that happened, by the name in `event`"
})
export type Change = typeof Change.Type

export type ChangeName = Change["event"]

/** The names of all changes, sorted. */
export const changeNames: ReadonlyArray<ChangeName> = declared.map(nameOf)

export const ChangeName = Schema.Literals(changeNames).annotate({
  identifier: "ChangeName",
  description: "The name of something that others are told of"
})
