// The illustrator's process: a request in, a picture out.
import { setPriority } from 'node:os'
import { answerQuestions } from '../../process/answer-questions.ts'
import { Illustrator } from './illustrator.ts'
import type { IllustratorAnswer, IllustratorQuestion } from './protocol.ts'

/** Behind the server: its answers do not wait for a busy model. */
setPriority(5)

const illustrator = new Illustrator()
answerQuestions<IllustratorQuestion, IllustratorAnswer>((question) => illustrator.draw(question))
