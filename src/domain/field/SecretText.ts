import { Schema, SchemaAST } from "effect"

const mark = "~forum/secret"

/** A field of an answer that is a secret: the answer is never stored, not even to be told again. */
export const secretText = (description: string) => Schema.String.annotate({ description, [mark]: true })

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isUnion(ast)) return ast.types
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest]
  if (SchemaAST.isSuspend(ast)) return [ast.thunk()]
  if (SchemaAST.isDeclaration(ast)) return ast.typeParameters
  if (!SchemaAST.isObjects(ast)) return []
  return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
}

/** Whether a value may have a secret, anywhere in it. */
export const mayHaveSecret = (schema: Schema.Top): boolean => {
  const seen = new Set<SchemaAST.AST>()
  const visit = (ast: SchemaAST.AST): boolean => {
    if (seen.has(ast)) return false
    seen.add(ast)
    if (ast.annotations?.[mark] === true) return true
    const encoded = ast.encoding?.map(({ to }) => to) ?? []
    return [...partsOf(ast), ...encoded].some(visit)
  }
  return visit(schema.ast)
}
