// Asks before what cannot be undone.
import { CommandProblem } from '../command-problem.ts'
import { isAgreed, isAnybodyThere } from '../questions.ts'

/** For what cannot be undone. */
export async function confirm(question: string, isAgreedAlready: boolean | undefined): Promise<void> {
  if (isAgreedAlready) return
  if (!isAnybodyThere()) throw new CommandProblem('nobody is here to be asked: say --yes to do it.')
  if (!(await isAgreed(`${question} [y/N] `))) throw new CommandProblem('nothing was changed.')
}
