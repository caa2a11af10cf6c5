/** Typed columns that sibling nodes share, and their values (specification 2.9). */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { PropertyFieldId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { fieldsMax, fieldsSharedMax, nameLength, valueLength } from "./LibraryLimits.ts"
import { newProperty, newPropertyField, property, propertyField } from "./NodeExamples.ts"

export const PropertyType = Schema.Literals(["text", "number", "timestamp", "boolean"]).annotate({
  identifier: "PropertyType",
  description:
    "How values are compared when pages are sorted by them. Values are kept as they are sent, whether they fit or not."
})
export type PropertyType = typeof PropertyType.Type

const fieldFields = {
  fid: PropertyFieldId.annotate({ description: "The id of the field" }),
  name: Schema.String.annotate({ description: "The name, unique among the fields of the siblings" }),
  type: PropertyType,
  sort: Schema.String.annotate({ description: "Fields are shown in the order of these texts" })
}

/** A field of the properties of nodes. */
export const PropertySchema = Schema.Struct(fieldFields)
  .annotate({
    identifier: "PropertySchema",
    description:
      "A field of the properties that the children of a page share, or that a page at the top level has"
  })
  .pipe(withExample(propertyField))
export interface PropertySchema extends Schema.Schema.Type<typeof PropertySchema> {}

/** A field with the value that a node has for it. */
export const Property = Schema.Struct({
  ...fieldFields,
  value: Schema.String.annotate({ description: "Empty if the page has none" })
})
  .annotate({ identifier: "Property", description: "A field with the value of a page" })
  .pipe(withExample(property))
export interface Property extends Schema.Schema.Type<typeof Property> {}

const fid = Schema.optionalKey(PropertyFieldId).annotateKey({
  description: "The id of the field; absent for a new one"
})
const sort = Text.verbatim({
  max: nameLength,
  description: "Fields are shown in the order of these texts"
})

export const PropertyMutation = Schema.Struct({
  fid,
  name: Text.line({
    max: nameLength,
    description: "The name of the field. Empty together with `fid`: it keeps its name."
  }),
  value: Text.lines({ max: valueLength, description: "Kept as it is, whatever the type of the field" }),
  type: Schema.optionalKey(PropertyType).annotateKey({ description: "Needed for a new field" }),
  sort: Schema.optionalKey(sort)
})
  .check(
    Schema.makeFilter(
      ({ fid, name }) =>
        Text.isVisible(name) || (name === "" && fid !== undefined)
          ? undefined
          : { path: ["name"], issue: "Expected a name that is not blank" },
      { toJsonSchema: () => [{}, true] }
    )
  )
  .annotate({
    identifier: "PropertyMutation",
    description: "A value of a page, and what to change of its field"
  })
  .pipe(withExample(newProperty))
export interface PropertyMutation extends Schema.Schema.Type<typeof PropertyMutation> {}

/** All values of a node. */
export const PropertyMutations = Schema.Array(PropertyMutation)
  .check(Schema.isMaxLength(fieldsMax))
  .annotate({
    description:
      "All values of this page; it loses those for fields that are left out. Fields belong to the owner of the page whose children share them and to managers of the library; those of a page at the top level to its owner. For them the list is also one of all fields: those that it names get this name, type and place, those that it leaves out are deleted with the values of all pages. For others, fields that it names stay as they are, whatever it says of them. New fields are added."
  })

export const PropertyChanges = Schema.Struct({ properties: PropertyMutations })
  .annotate({ identifier: "PropertyMutableProps", description: "The properties of a page" })
  .pipe(withExample({ properties: [newProperty] }))
export interface PropertyChanges extends Schema.Schema.Type<typeof PropertyChanges> {}

export const PropertySchemaChange = Schema.Struct({
  fid,
  name: Text.visibleLine({ max: nameLength, description: "The name of the field" }),
  type: PropertyType,
  sort
}).annotate({ identifier: "PropertySchemaMutableProps", description: "A field as it shall be" })
export interface PropertySchemaChange extends Schema.Schema.Type<typeof PropertySchemaChange> {}

/** All fields of a group of siblings; others cease to exist, with their values. */
export const PropertySchemaChanges = Schema.Array(PropertySchemaChange)
  .check(Schema.isMaxLength(fieldsMax))
  .annotate({
    description:
      "All fields. Those that are left out are deleted with their values. Only who owns the fields changes and deletes them; others add some."
  })
  .pipe(withExample([newPropertyField]))

export const PropertyListResult = Schema.Struct({ properties: Schema.Array(Property) })
  .annotate({ identifier: "PropertyListResult", description: "The properties of a page" })
  .pipe(withExample({ properties: [property] }))

export const PropertySchemaListResult = Schema.Struct({ properties: Schema.Array(PropertySchema) })
  .annotate({
    identifier: "PropertySchemaListResult",
    description: "The fields of the properties of a page, or of its children"
  })
  .pipe(withExample({ properties: [propertyField] }))

export class PropertyFieldUnknown extends Problem<PropertyFieldUnknown>()("PropertyFieldUnknown", {
  status: 400,
  title: "The property field does not exist",
  explanation:
    "A `fid` names no field of the properties of this page and its siblings. Leave it out to create a field.",
  metadata: { fid: Schema.String }
}) {}

export class PropertyFieldIdMissing extends Problem<PropertyFieldIdMissing>()("PropertyFieldIdMissing", {
  status: 400,
  title: "There is such a field; name it by its fid",
  explanation:
    "The list has a new field under the name of an existing one. To set or change the existing one, give its `fid`; another one needs another name.",
  metadata: { name: Schema.String, fid: Schema.String }
}) {}

export class PropertyTypeMissing extends Problem<PropertyTypeMissing>()("PropertyTypeMissing", {
  status: 400,
  title: "A new property field needs a type",
  explanation: "An entry without `fid` creates a field, which needs a name and a `type`.",
  metadata: { name: Schema.String }
}) {}

export class PropertyNameTaken extends Problem<PropertyNameTaken>()("PropertyNameTaken", {
  status: 409,
  title: "Two property fields would have one name",
  explanation: "The names of the fields that siblings share are unique.",
  metadata: { name: Schema.String }
}) {}

export class PropertyFieldTwice extends Problem<PropertyFieldTwice>()("PropertyFieldTwice", {
  status: 400,
  title: "The list names a property field twice",
  explanation: "Each field may occur once in a list of properties.",
  metadata: { fid: Schema.String }
}) {}

export class PropertyFieldsNotYours extends Problem<PropertyFieldsNotYours>()("PropertyFieldsNotYours", {
  status: 403,
  title: "The fields of these properties belong to others",
  explanation:
    "Fields are changed and deleted by the owner of the page whose children share them, and by the managers of the library. Others add fields beside them, where they may see that page, and set the values of their own pages."
}) {}

export class TooManyPropertyFields extends Problem<TooManyPropertyFields>()("TooManyPropertyFields", {
  status: 409,
  title: "These pages would have too many property fields",
  explanation: `Siblings share at most ${fieldsMax} fields. Who does not own them adds none beyond ${fieldsSharedMax}.`,
  metadata: { maximum: Schema.Int }
}) {}
