/** What operations on nodes have in common. */

import * as Text from "../../domain/field/Text.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing
} from "../../domain/library/Property.ts"
import { MarkupTooComplex, SanitiserUnavailable } from "../../domain/text/TextProblem.ts"
import { MarkupTooLong, TooManyLinks, TooManyMentions } from "../../domain/thread/Post.ts"

export const nodeParams = {
  node_slug: Text.mark({ description: "The slug or the id of the page, or `<id>-<anything>`" })
}

/** The problems for which content can be refused. */
export const nodeTextProblems = [
  MarkupTooComplex,
  MarkupTooLong,
  SanitiserUnavailable,
  TooManyLinks,
  TooManyMentions
] as const

/** The problems for which properties can be refused. */
export const propertyProblems = [
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing
] as const
