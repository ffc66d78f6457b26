// The illustrator's process: a request in, a picture out.
import { answerQuestions } from '../../process/answer-questions.ts'
import { Illustrator } from './illustrator.ts'
import type { IllustratorAnswer, IllustratorQuestion } from './protocol.ts'

const illustrator = new Illustrator()
answerQuestions<IllustratorQuestion, IllustratorAnswer>((question) => illustrator.draw(question))
