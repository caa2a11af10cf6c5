import { Problem } from "../shared/Problem.ts"

export class AdministratorProtected extends Problem<AdministratorProtected>()("AdministratorProtected", {
  status: 403,
  title: "Only administrators may do this to an administrator",
  explanation: "The account holds ADMINISTRATOR through one of its roles, and the caller does not."
}) {}
