/** Why no images are made of what was uploaded. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { pixelsMax } from "./Thumbnailer.ts"

export class NotAnImage extends Problem<NotAnImage>()("NotAnImage", {
  status: 400,
  title: "This is not an image that can be read",
  explanation:
    "The body has to be a PNG, JPEG, GIF or WebP image, whatever its content type says, and a complete one. SVG is not taken. Nothing was changed."
}) {}

export class ImageTooLarge extends Problem<ImageTooLarge>()("ImageTooLarge", {
  status: 400,
  title: "The image has too many pixels",
  explanation: `An image may have ${pixelsMax.toLocaleString("en")} pixels, its width times its height, however few bytes it has. Nothing was changed.`,
  metadata: { width: Schema.Int, height: Schema.Int, maximum: Schema.Int }
}) {}

export class ImagesUnavailable extends Problem<ImagesUnavailable>()("ImagesUnavailable", {
  status: 503,
  title: "This service cannot make images",
  explanation:
    "The optional package that changes the size of images is not installed where the service runs. Everything else works; whoever operates the service can install it."
}) {}
