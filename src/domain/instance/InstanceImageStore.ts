import { Context, type Effect } from "effect"
import type { ResizedImages } from "../asset/ResizedImages.ts"
import type { ImageKind } from "../vocabulary/ImageKind.ts"

/** Which files are the images of the instance. */
export class InstanceImageStore extends Context.Service<
  InstanceImageStore,
  {
    /** Those that were uploaded last, if any were. */
    readonly find: (kind: ImageKind) => Effect.Effect<ResizedImages | undefined>
    /** Puts others in their place, one upload after the other, and answers what there was. */
    readonly replace: (kind: ImageKind, images: ResizedImages) => Effect.Effect<ResizedImages | undefined>
  }
>()("forum/domain/InstanceImageStore") {}
