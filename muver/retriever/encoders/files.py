"""Names of the files in an encoder's and a model's directory (imports nothing heavy)."""

TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "muver.json"
MANIFEST_FILE = "manifest.json"
TOWERS = ("mention_encoder", "entity_encoder")
TOWER_FILES = ("config.json", "model.safetensors")
WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json")
VOCABULARY_FILES = (TOKENIZER_FILE, "vocab.txt", "vocab.json")
# Files of sentence-transformers: the modules after the transformer, and the prompts.
MODULES_FILE = "modules.json"
PROMPTS_FILE = "config_sentence_transformers.json"
POOLING_FILES = (
    MODULES_FILE,
    "1_Pooling/config.json",
    PROMPTS_FILE,
    *(
        f"{number}_Dense/{file}"
        for number in (2, 3)
        for file in ("config.json", "model.safetensors", "pytorch_model.bin")
    ),
)
ENCODER_FILES = (
    "config.json",
    *WEIGHT_FILES,
    *VOCABULARY_FILES,
    "merges.txt",
    "tokenizer_config.json",
)
START_FILES = (*TOWER_FILES, TOKENIZER_FILE, MANIFEST_FILE)
MODEL_FILES = (
    CONFIG_FILE,
    TOKENIZER_FILE,
    "README.md",
    *(f"{tower}/{file}" for tower in TOWERS for file in TOWER_FILES),
)
