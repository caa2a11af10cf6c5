import { Problem } from "../shared/Problem.ts"

export class SuspensionOfSelf extends Problem<SuspensionOfSelf>()("SuspensionOfSelf", {
  status: 400,
  title: "Nobody can suspend their own account",
  explanation:
    "An account that could suspend itself would leave nobody to reinstate it. Ask another member of staff."
}) {}
