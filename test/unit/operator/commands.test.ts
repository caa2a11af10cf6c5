/** Commands are loaded by the words of a line. */
import { assert, it } from "vitest"
import { commandsIn } from "../../../src/operator/commands.ts"

it("each command is loaded by its name alone, and all where none is named", { timeout: 60_000 }, async () => {
  const all = await commandsIn(["--help"])
  assert.isAbove(all.length, 10)
  for (const command of all) {
    assert.deepStrictEqual(await commandsIn(["--env-file", "x", command.name, "y"]), [command])
  }
})
