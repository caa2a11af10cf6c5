/** `npm run openapi`: writes the description of the version in preparation, with which later changes are compared. */
import { writeFileSync } from "node:fs"
import manifest from "../../package.json" with { type: "json" }
import { acceptedFile, changelog, describedNow, fileOf, isReleased } from "./Releases.ts"

const { version } = manifest
if (isReleased(version, changelog())) {
  process.stderr.write(`${version} was released: its description does not change any more.\n`)
  process.exitCode = 1
} else {
  writeFileSync(fileOf(version), `${JSON.stringify(describedNow(), undefined, 1)}\n`)
  writeFileSync(acceptedFile, "[]\n")
}
