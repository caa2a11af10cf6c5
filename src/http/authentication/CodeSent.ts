import { Schema } from "effect"
import { withExample } from "../../domain/field/Example.ts"

/** The answer to who asks for a code. */
export const CodeSent = Schema.Struct({
  id: Schema.Literal("").annotate({ description: "Empty: nobody is signed in yet" })
})
  .annotate({ identifier: "AuthCodeSent", description: "A code was sent; nobody is signed in yet" })
  .pipe(withExample({ id: "" }))

export const codeSent: typeof CodeSent.Type = { id: "" }
