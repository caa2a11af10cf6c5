/** Who may see a page of the library, and what the description of the API says of it. */
import { policyText, type VisibilityPolicy } from "../shared/Visibility.ts"

/** Managers of the library read what awaits their review, and no drafts of others. */
export const nodePolicy: VisibilityPolicy = {
  staff: "MANAGE_LIBRARY",
  audience: {
    draft: ["author"],
    unlisted: ["author"],
    review: ["author", "staff"],
    published: ["readers"]
  }
}

export const nodeAudience = `Who may see it: ${policyText(nodePolicy, { author: "its owner", readers: "everyone who may read the library" })}.`
