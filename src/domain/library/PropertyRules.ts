/** What a list of properties or fields makes of the fields that siblings share. Pure. */
import { Result } from "effect"
import type { Actor } from "../shared/Actor.ts"
import type { PropertyFieldId } from "../shared/Id.ts"
import { fieldsMax, fieldsSharedMax } from "./LibraryLimits.ts"
import { mayChangeNode, mayMeet, type NodeStanding } from "./NodeRules.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldsNotYours,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  type PropertyMutation,
  PropertyNameTaken,
  type PropertySchema,
  type PropertySchemaChange,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "./Property.ts"

type Fields = ReadonlyArray<PropertySchema>
type Fids = ReadonlySet<PropertyFieldId>

/**
 * What somebody who changes a node may do with the fields of its group: change and delete them, add some beside them,
 * or only give the node values for them.
 */
export type FieldRight = "own" | "add" | "use"

/**
 * What the actor may do with fields. They belong to who may change the node whose children share them. A node at the
 * top level has fields of its own. Who may not even see that node adds none to what it contains.
 */
export const decideFieldRight = (above: NodeStanding | undefined, actor: Actor): FieldRight => {
  if (above === undefined || mayChangeNode(above, actor)) return "own"
  return mayMeet(above, actor) ? "add" : "use"
}

/** How many fields a group may have after a change: who does not own the fields leaves room for the owner. */
const roomOf = (right: FieldRight) => (right === "own" ? fieldsMax : fieldsSharedMax)

const noRoom = (maximum: number) => new TooManyPropertyFields({ metadata: { maximum } })

/** A field that is to be created. */
export type NewField = Omit<PropertySchema, "fid">

/** What becomes of the fields of a group. */
export interface FieldsPlan<New extends NewField = NewField> {
  readonly deleted: ReadonlyArray<PropertyFieldId>
  /** The fields that change, as they are to be. */
  readonly changed: Fields
  readonly added: ReadonlyArray<New>
}

/** What becomes of the fields of a group, and of the values that one node has for them. */
export interface PropertiesPlan extends FieldsPlan<NewField & { readonly value: string }> {
  /** The values of the node for fields that exist already; it has none for the others. */
  readonly values: ReadonlyArray<{ readonly fid: PropertyFieldId; readonly value: string }>
}

/** What both kinds of list say of a field. */
type Entry = Pick<PropertyMutation, "fid" | "name" | "type" | "sort">

const entryOf = (entries: ReadonlyArray<Entry>, { fid }: PropertySchema) =>
  entries.find((entry) => entry.fid === fid)

/** The field as an entry wants it; an empty name stays as it is. */
export const wanted = (field: PropertySchema, { name, sort, type }: Omit<Entry, "fid">): PropertySchema => ({
  fid: field.fid,
  name: name === "" ? field.name : name,
  type: type ?? field.type,
  sort: sort ?? field.sort
})

const isSame = (a: PropertySchema, b: PropertySchema) =>
  a.name === b.name && a.type === b.type && a.sort === b.sort

const changedFields = (fields: Fields, entries: ReadonlyArray<Entry>): Fields =>
  fields.flatMap((field) => {
    const entry = entryOf(entries, field)
    const next = entry === undefined ? field : wanted(field, entry)
    return isSame(field, next) ? [] : [next]
  })

const leftOut = (fields: Fields, entries: ReadonlyArray<Entry>): ReadonlyArray<PropertyFieldId> =>
  fields.filter((field) => entryOf(entries, field) === undefined).map(({ fid }) => fid)

/** Why the list does not say which fields it means, if it does not. */
const misnamed = (
  fields: Fields,
  entries: ReadonlyArray<Entry>
): PropertyFieldUnknown | PropertyFieldTwice | undefined => {
  const fids = entries.flatMap(({ fid }) => fid ?? [])
  const unknown = fids.find((fid) => fields.every((field) => field.fid !== fid))
  if (unknown !== undefined) return new PropertyFieldUnknown({ metadata: { fid: unknown } })
  const twice = fids.find((fid, index) => fids.indexOf(fid) < index)
  return twice === undefined ? undefined : new PropertyFieldTwice({ metadata: { fid: twice } })
}

/** Why an entry without `fid` is no new field, if it is none. */
const notNew = (
  fields: Fields,
  entries: ReadonlyArray<Entry>
): PropertyFieldIdMissing | PropertyTypeMissing | undefined => {
  for (const { fid, name, type } of entries) {
    if (fid !== undefined) continue
    const known = fields.find((field) => field.name === name)
    if (known !== undefined && entryOf(entries, known) === undefined)
      return new PropertyFieldIdMissing({ metadata: { name, fid: known.fid } })
    if (type === undefined) return new PropertyTypeMissing({ metadata: { name } })
  }
  return undefined
}

/** Why the fields that these nodes would have are too many or have the same name, if they do. */
const impossible = (
  fields: Fields,
  { added, changed, deleted }: FieldsPlan,
  right: FieldRight
): PropertyNameTaken | TooManyPropertyFields | undefined => {
  const kept = fields
    .filter(({ fid }) => !deleted.includes(fid))
    .map((field) => changed.find(({ fid }) => fid === field.fid) ?? field)
  const names = [...kept, ...added].map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) return new PropertyNameTaken({ metadata: { name: twice } })
  return added.length > 0 && names.length > roomOf(right) ? noRoom(roomOf(right)) : undefined
}

/** Why a plan is not for who has this right to the fields, if it is not. */
const forbidden = (
  { added, changed, deleted }: FieldsPlan,
  right: FieldRight
): PropertyFieldsNotYours | undefined => {
  const isAllowed =
    right === "own" ||
    (changed.length === 0 && deleted.length === 0 && (right === "add" || added.length === 0))
  return isAllowed ? undefined : new PropertyFieldsNotYours()
}

/** Gives entries for a new node the ids of existing fields with the same name; the type has to be the same. */
const takingOver = (
  fields: Fields,
  mutations: ReadonlyArray<PropertyMutation>
): ReadonlyArray<PropertyMutation> =>
  mutations.map((mutation) => {
    const field = fields.find(({ name }) => name === mutation.name)
    const isMeant =
      mutation.fid === undefined && field !== undefined && (mutation.type ?? field.type) === field.type
    return isMeant ? { fid: field.fid, name: field.name, value: mutation.value } : mutation
  })

/** Makes a list all fields of a group, for who has this right to them. */
export const decideSchema = (
  fields: Fields,
  changes: ReadonlyArray<PropertySchemaChange>,
  right: FieldRight
): Result.Result<
  FieldsPlan,
  | PropertyFieldUnknown
  | PropertyFieldTwice
  | PropertyFieldsNotYours
  | PropertyNameTaken
  | TooManyPropertyFields
> => {
  const plan = {
    deleted: leftOut(fields, changes),
    changed: changedFields(fields, changes),
    added: changes
      .filter(({ fid }) => fid === undefined)
      .map(({ name, sort, type }): NewField => ({ name, type, sort }))
  }
  const refusal = misnamed(fields, changes) ?? forbidden(plan, right) ?? impossible(fields, plan, right)
  return refusal === undefined ? Result.succeed(plan) : Result.fail(refusal)
}

/**
 * Makes a list the properties of a node. Who owns the fields changes those that it names and deletes those that it
 * leaves out, except by a node that is just being created. By others, fields stay as they are, and the node loses its
 * values for those that the list leaves out.
 */
export const decideProperties = (
  fields: Fields,
  mutations: ReadonlyArray<PropertyMutation>,
  isNew: boolean,
  right: FieldRight
): Result.Result<
  PropertiesPlan,
  | PropertyFieldsNotYours
  | PropertyFieldUnknown
  | PropertyFieldTwice
  | PropertyFieldIdMissing
  | PropertyTypeMissing
  | PropertyNameTaken
  | TooManyPropertyFields
> => {
  const entries = isNew ? takingOver(fields, mutations) : mutations
  const plan = {
    deleted: isNew || right !== "own" ? [] : leftOut(fields, entries),
    changed: right === "own" ? changedFields(fields, entries) : [],
    added: entries.flatMap(({ fid, name, sort = "", type, value }) =>
      fid === undefined && type !== undefined ? [{ name, type, sort, value }] : []
    ),
    values: entries.flatMap(({ fid, value }) => (fid === undefined ? [] : [{ fid, value }]))
  }
  const refusal =
    misnamed(fields, entries) ??
    notNew(fields, entries) ??
    forbidden(plan, right) ??
    impossible(fields, plan, right)
  return refusal === undefined ? Result.succeed(plan) : Result.fail(refusal)
}

/** What becomes of the values of nodes that come into another group. */
export interface MovePlan {
  /** The fields there for the fields here. */
  readonly known: ReadonlyArray<{ readonly from: PropertyFieldId; readonly to: PropertySchema }>
  /** Fields that the group there lacks and the nodes have values for. */
  readonly added: ReadonlyArray<NewField & { readonly from: PropertyFieldId }>
}

/**
 * What a list says to the fields `there` that was made for a node with the fields `here`, from which it comes: an
 * entry that names one of those changes the field of the same name, as far as it wants another one than the node had.
 */
export const decideArrival = (
  here: Fields,
  there: Fields,
  mutations: ReadonlyArray<PropertyMutation>
): ReadonlyArray<PropertyMutation> =>
  mutations.flatMap((mutation): ReadonlyArray<PropertyMutation> => {
    const { fid, value } = mutation
    const left = here.find((field) => field.fid === fid)
    if (left === undefined || there.some((field) => field.fid === fid)) return [mutation]
    const { name, sort, type } = wanted(left, mutation)
    const same = there.find((field) => field.name === left.name)
    if (same === undefined) return value === "" ? [] : [{ name, type, sort, value }]
    return [
      {
        fid: same.fid,
        name: name === left.name ? "" : name,
        value,
        ...(type === left.type ? {} : { type }),
        ...(sort === left.sort ? {} : { sort })
      }
    ]
  })

/** Which fields there replace the fields here: those of the same name, whatever the types; new ones if `used`. */
export const decideMove = (
  here: Fields,
  there: Fields,
  used: Fids,
  right: FieldRight
): Result.Result<MovePlan, TooManyPropertyFields> => {
  const sameAs = ({ name }: PropertySchema) => there.find((field) => field.name === name)
  const known = here.flatMap((field) => {
    const same = sameAs(field)
    return same === undefined ? [] : [{ from: field.fid, to: same }]
  })
  const added = here
    .filter((field) => used.has(field.fid) && sameAs(field) === undefined)
    .map(({ fid, name, sort, type }) => ({ from: fid, name, type, sort }))
  const isTooMany = added.length > 0 && there.length + added.length > roomOf(right)
  return isTooMany ? Result.fail(noRoom(roomOf(right))) : Result.succeed({ known, added })
}
