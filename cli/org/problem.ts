// What goes wrong in `./atoll org`: told as the commands of the cluster tell theirs.
import { ClusterProblem } from '../cluster/problem.ts'
import { isAgreed, isAnybodyThere } from '../cluster/questions.ts'

/** Something a person can change; told in a line. */
export class OrgProblem extends ClusterProblem {}

/** For what cannot be undone. */
export async function confirm(question: string, isAgreedAlready: boolean | undefined): Promise<void> {
  if (isAgreedAlready) return
  if (!isAnybodyThere()) throw new OrgProblem('nobody is here to be asked: say --yes to do it.')
  if (!(await isAgreed(`${question} [y/N] `))) throw new OrgProblem('nothing was changed.')
}
