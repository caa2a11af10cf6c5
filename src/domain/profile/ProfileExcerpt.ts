/** Profiles that are too long for the answer that shows them. Pure. */
import { empty } from "../text/RichText.ts"
import type { PublicProfile } from "./PublicProfile.ts"

/** The profile without its long parts, as a list shows it. */
export const shortenedProfile = (profile: PublicProfile): PublicProfile => ({
  ...profile,
  bio: empty,
  links: [],
  meta: {}
})
