"""The pieces of words: uncased, without accents, split as the runtime splits (packages/models/builtin/embeddings)."""

import random

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

COUNT = 32768


def learned(rows):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=60))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}]"), "removed", invert=True)
    sample = random.Random(3).sample(rows, min(700_000, len(rows)))
    # A character that is not among the 400 most frequent is unknown: one text in another script must not fill the table.
    trainer = trainers.WordPieceTrainer(vocab_size=COUNT, min_frequency=3, limit_alphabet=400, show_progress=False,
                                        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.train_from_iterator((f"{row[2]} {row[3]}" for row in sample), trainer)
    return tokenizer
