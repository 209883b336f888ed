"""stub"""
class Bounds:
    def predict(self, kernel, context):
        from rooflint_plugins.models.bounds.answer import answered
        from rooflint.prediction import Prediction
        a = answered(context)
        return Prediction("bounds","","","")
