/** Why a model cannot be trained; the message goes on from "the model …". */
export class TrainerProblem extends Error {
  override readonly name = 'TrainerProblem'
}
