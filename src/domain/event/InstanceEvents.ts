/** What happens to an instance, for the event log. */
import { Schema } from "effect"
import { ImageKind } from "../vocabulary/ImageKind.ts"

/** An image of the instance was uploaded. */
export const InstanceImageUpdated = Schema.TaggedStruct("InstanceImageUpdated", { image: ImageKind })
export type InstanceImageUpdated = typeof InstanceImageUpdated.Type
