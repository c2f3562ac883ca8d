"""A real and tiny sentence model whose weights are set by hand: words that mean the same have the same vector."""

from __future__ import annotations

from pathlib import Path

import pytest

CONCEPTS = (
    ("how", "wie"), ("many", "viele"), ("dogs", "hunde"), ("cats", "katzen"), ("where", "wo"), ("man", "mann"),
    ("holding", "hält"), ("what", "was"), ("umbrella", "schirm"), ("car", "auto"), ("color", "farbe"), ("hat", "hut"),
    ("wearing", "trägt"), ("red", "rot"), ("house", "haus"), ("tree", "baum"),
)  # fmt: skip
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def tiny_sentences(folder: Path) -> Path:
    """Write the model into a folder and return it; skips the test where transformers is not installed."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = [word for concept in CONCEPTS for word in concept]
    vocabulary = {word: number for number, word in enumerate([*_SPECIAL, *words])}
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    plain.normalizer = tokenizers.normalizers.Lowercase()
    plain.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(
        folder
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=0, num_attention_heads=1, intermediate_size=8,
        max_position_embeddings=64,
    )  # fmt: skip
    model = transformers.BertModel(config, add_pooling_layer=False)
    with torch.no_grad():
        for weights in model.embeddings.parameters():
            weights.zero_()
        model.embeddings.LayerNorm.weight.fill_(1)
        for number, concept in enumerate(CONCEPTS):
            for word in concept:
                model.embeddings.word_embeddings.weight[vocabulary[word], number] = 1
    model.save_pretrained(folder)
    return folder
