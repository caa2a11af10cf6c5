/** Says in plain words what of a request its schema refuses, and where. */
import { Predicate, SchemaAST, SchemaIssue } from "effect"

/** A rule that is broken, and where in the value. */
export interface Broken {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

const textOf = (literal: SchemaAST.LiteralValue): string =>
  typeof literal === "string" ? JSON.stringify(literal) : String(literal)

/** The members of a union, those of unions in it included. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]

const literalAt = (ast: SchemaAST.AST, name: PropertyKey): string | undefined => {
  const field = SchemaAST.isObjects(ast)
    ? ast.propertySignatures.find((property) => property.name === name)
    : undefined
  return field !== undefined && SchemaAST.isLiteral(field.type) ? textOf(field.type.literal) : undefined
}

interface Discriminator {
  readonly name: PropertyKey
  readonly literals: ReadonlyArray<string>
}

/** The field that tells the objects of a union apart, and what it has in each of them. */
const discriminatorOf = (objects: ReadonlyArray<SchemaAST.Objects>): Discriminator | undefined => {
  for (const { name } of objects[0]?.propertySignatures ?? []) {
    const literals = objects.flatMap((object) => literalAt(object, name) ?? [])
    if (literals.length === objects.length) return { name, literals }
  }
  return undefined
}

const objectsWords = (objects: ReadonlyArray<SchemaAST.Objects>): ReadonlyArray<string> => {
  if (objects.length === 0) return []
  const which = discriminatorOf(objects)
  return [
    which === undefined
      ? "an object"
      : `an object whose ${String(which.name)} is ${which.literals.join(" or ")}`
  ]
}

const literalsWords = (literals: ReadonlyArray<SchemaAST.Literal>): ReadonlyArray<string> => {
  const texts = literals.map(({ literal }) => textOf(literal))
  return texts.length > 1 ? [`one of ${texts.join(", ")}`] : texts
}

const unionWords = (union: SchemaAST.Union): string => {
  const members = membersOf(union)
  const takesText = members.some(SchemaAST.isString)
  const literals = members.filter(SchemaAST.isLiteral)
  const others = members.filter((member) => !SchemaAST.isLiteral(member) && !SchemaAST.isObjects(member))
  const words = [
    ...literalsWords(literals.filter(({ literal }) => !(takesText && typeof literal === "string"))),
    ...objectsWords(members.filter(SchemaAST.isObjects)),
    ...others.map(wordsFor)
  ]
  return [...new Set(words)].join(" or ")
}

/** What a schema takes. The names of schemas say nothing to those who send requests by hand. */
const wordsFor = (ast: SchemaAST.AST): string => {
  const stated = ast.annotations?.expected
  if (typeof stated === "string") return stated
  if (SchemaAST.isSuspend(ast)) return wordsFor(ast.thunk())
  if (SchemaAST.isUnion(ast)) return unionWords(ast)
  if (SchemaAST.isLiteral(ast)) return textOf(ast.literal)
  if (SchemaAST.isObjects(ast)) return "an object"
  if (SchemaAST.isArrays(ast)) return "an array"
  if (SchemaAST.isString(ast)) return "a string"
  if (SchemaAST.isNumber(ast)) return "a number"
  if (SchemaAST.isBoolean(ast)) return "true or false"
  if (SchemaAST.isNull(ast)) return "null"
  return "another value"
}

/**
 * What is wrong where no member of a union is meant. What was sent is not known here. A body is hardly ever anything but
 * an object, so that the field that would tell its kinds apart is wrong; a field that takes objects is named itself.
 */
const noneMeant = (union: SchemaAST.Union, path: ReadonlyArray<PropertyKey>): Broken => {
  const members = membersOf(union)
  const objects = members.filter(SchemaAST.isObjects)
  const isBody = path.length === 0 && objects.length === members.length
  const which = isBody ? discriminatorOf(objects) : undefined
  if (which === undefined) return { path, message: `Expected ${wordsFor(union)}` }
  const [only, ...others] = which.literals
  const words = others.length === 0 ? only : `one of ${which.literals.join(", ")}`
  return { path: [which.name], message: `Expected ${words}` }
}

const standardIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The rules that a value breaks. */
export const brokenIn = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<Broken> => {
  switch (issue._tag) {
    case "Pointer":
      return brokenIn(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return brokenIn(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((part) => brokenIn(part, path))
    case "AnyOf":
      return issue.issues.length === 0
        ? [noneMeant(issue.ast, path)]
        : issue.issues.flatMap((part) => brokenIn(part, path))
    case "InvalidType":
      return [{ path, message: `Expected ${wordsFor(issue.ast)}` }]
    case "MissingKey":
      return [{ path, message: "Required" }]
    default:
      return standardIssues(issue).issues.map(({ message, path: inner = [] }) => ({
        path: [...path, ...inner.map((part) => (Predicate.hasProperty(part, "key") ? part.key : part))],
        message
      }))
  }
}
